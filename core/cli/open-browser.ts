import { spawn } from "node:child_process";
import { once } from "node:events";

/**
 * Opens an address in the person's browser.
 *
 * @returns false where there is no browser to open it in.
 */
export async function openBrowser(
  url: string,
  env: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
): Promise<boolean> {
  const command = browserCommand(url, env, platform);
  if (command === null) return false;
  try {
    const child = spawn(command.file, command.args, { detached: true, stdio: "ignore" });
    await once(child, "spawn");
    child.unref();
    return true;
  } catch {
    return false;
  }
}

/** @returns null where a browser would have no screen to appear on. */
export function browserCommand(
  url: string,
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform,
): { file: string; args: string[] } | null {
  const chosen = env["BROWSER"];
  if (chosen !== undefined && chosen !== "") return { file: chosen, args: [url] };
  if (platform === "darwin") return { file: "open", args: [url] };
  // `start` takes its first quoted word for a window title.
  if (platform === "win32") return { file: "cmd", args: ["/c", "start", '""', url] };
  if (!env["DISPLAY"] && !env["WAYLAND_DISPLAY"]) return null;
  return { file: "xdg-open", args: [url] };
}

import { homedir } from "node:os";
import { posix, resolve, win32 } from "node:path";

/**
 * The data directory: what was asked for, else SIGNALBOX_DATA, else the platform's own place for such things.
 *
 * @returns an absolute path.
 */
export function dataDirFor(
  asked: string | undefined,
  env: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
  home: string = homedir(),
): string {
  const named = asked ?? env["SIGNALBOX_DATA"];
  if (named !== undefined && named !== "") return resolve(named);
  if (platform === "win32")
    return win32.join(env["APPDATA"] ?? win32.join(home, "AppData", "Roaming"), "Signalbox");
  if (platform === "darwin") return posix.join(home, "Library", "Application Support", "Signalbox");
  // A relative XDG path is to be ignored, says its specification.
  const xdg = env["XDG_DATA_HOME"];
  const base = xdg?.startsWith("/") === true ? xdg : posix.join(home, ".local", "share");
  return posix.join(base, "signalbox");
}

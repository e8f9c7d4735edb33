import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { tool } from "./paths.ts";

/** What decides which host starts; injected so that the decision can be tested. */
export interface Machine {
  platform: NodeJS.Platform;
  env: Readonly<Record<string, string | undefined>>;
  /** The Electron executable, or undefined while only its npm package is there. */
  electron: string | undefined;
}

export type Host =
  { kind: "desktop"; electron: string } | { kind: "headless"; because: string | undefined };

/**
 * Which host `npm start` starts here.
 *
 * @returns For `headless`, the sentence that says what is missing and what to do; undefined where it was asked for.
 */
export function chooseHost({ platform, env, electron }: Machine): Host {
  if (env["SIGNALBOX_HOST"] === "headless") return { kind: "headless", because: undefined };
  const hasDisplay =
    platform !== "linux" || Boolean(env["DISPLAY"]) || Boolean(env["WAYLAND_DISPLAY"]);
  const install = 'run "npx install-electron --no" once';
  const here = "the panel is served to your browser instead";
  if (electron !== undefined && hasDisplay) return { kind: "desktop", electron };
  if (hasDisplay) {
    return {
      kind: "headless",
      because: `No desktop window: the Electron runtime is not installed (to have one, ${install}); ${here}.`,
    };
  }
  const both = electron === undefined ? " and the Electron runtime" : "";
  const then = electron === undefined ? `, and ${install}` : "";
  return {
    kind: "headless",
    because: `No desktop window: a display${both} is missing (to have one, start in a graphical session${then}); ${here}.`,
  };
}

/** The installed Electron executable. Reads what Electron's own loader reads, but never starts its download. */
export function findElectron(
  env: Readonly<Record<string, string | undefined>> = process.env,
): string | undefined {
  const pathFile = tool("electron/path.txt");
  const name = existsSync(pathFile) ? readFileSync(pathFile, "utf8") : undefined;
  const override = env["ELECTRON_OVERRIDE_DIST_PATH"];
  if (!override && name === undefined) return undefined;
  const executable = join(override ?? tool("electron/dist"), name ?? "electron");
  return existsSync(executable) ? executable : undefined;
}

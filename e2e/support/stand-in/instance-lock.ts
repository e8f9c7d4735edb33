import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";

/**
 * One instance a profile folder: a file with the owner's process id, and a local socket on which later
 * instances knock. Neither is a TCP port.
 *
 * @param onSecond Called in the owner for each later instance.
 * @returns undefined where another process has it; that process has been told.
 */
export function takeInstanceLock(
  userData: string,
  onSecond: () => void,
): { release(): void } | undefined {
  const file = join(userData, "SingletonPid");
  const hash = createHash("sha256").update(userData).digest("hex").slice(0, 16);
  const socket =
    process.platform === "win32"
      ? `\\\\.\\pipe\\stand-in-${hash}`
      : join(userData, "instance.sock");
  const owner = readPid(file);
  if (owner !== null && isAlive(owner)) {
    knock(socket);
    return undefined;
  }
  writeFileSync(file, String(process.pid));
  rmSync(socket, { force: true });
  const server = createServer((connection) => {
    connection.on("error", () => undefined);
    connection.end();
    onSecond();
  });
  server.listen(socket).unref();
  return {
    release() {
      server.close();
      rmSync(file, { force: true });
    },
  };
}

function readPid(file: string): number | null {
  try {
    return Number(readFileSync(file, "utf8"));
  } catch {
    return null;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** The lock is answered synchronously, as Electron's is, so the knocking is left to a process that is waited for. */
function knock(socket: string): void {
  spawnSync(process.execPath, [
    "-e",
    `require("node:net").createConnection(${JSON.stringify(socket)}).on("error", () => {})`,
  ]);
}

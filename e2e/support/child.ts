import { spawn } from "node:child_process";
import type { ChildProcess, StdioOptions } from "node:child_process";

/** How a process ended. `code` is null where a signal ended it. */
export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** A process that a test started, with all it printed. */
export interface Child {
  readonly process: ChildProcess;
  readonly pid: number;
  stdout(): string;
  stderr(): string;
  /** Resolves when it has ended and all it printed is here. */
  readonly ended: Promise<Ended>;
}

/** Starts a program of this Node. Nothing of it reaches the test's own terminal. */
export function startNode(args: readonly string[], env: NodeJS.ProcessEnv, ipc = false): Child {
  const stdio: StdioOptions = ipc ? ["ignore", "pipe", "pipe", "ipc"] : ["ignore", "pipe", "pipe"];
  return watch(spawn(process.execPath, args, { stdio, env: { ...process.env, ...env } }));
}

/** Collects what a process prints from now on, and how it ends. */
export function watch(child: ChildProcess): Child {
  let stdout = "";
  let stderr = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => {
      resolve({ code, signal });
    });
  });
  ended.catch(() => undefined); // whoever waits for it is told; nobody has to wait
  if (child.pid === undefined) throw new Error(`could not start ${child.spawnfile}`);
  return { process: child, pid: child.pid, stdout: () => stdout, stderr: () => stderr, ended };
}

/**
 * Waits until a process has said something that `find` recognises.
 *
 * @throws {Error} When it ends first; with everything it printed.
 */
export async function waitForOutput<T>(child: Child, find: () => T | undefined): Promise<T> {
  return new Promise((resolve, reject) => {
    const look = () => {
      const found = find();
      if (found !== undefined) resolve(found);
    };
    child.process.stdout?.on("data", look);
    child.process.stderr?.on("data", look);
    look();
    void child.ended.then(({ code, signal }) => {
      reject(new EndedEarly(child, code ?? signal));
    });
  });
}

/** A process that was to run on ended instead. */
export class EndedEarly extends Error {
  override readonly name = "EndedEarly";
  readonly status: number | NodeJS.Signals | null;
  /** All that it printed. */
  readonly output: string;
  constructor(child: Child, status: number | NodeJS.Signals | null) {
    super(`the process ended early (${status}):\n${child.stdout()}${child.stderr()}`);
    this.status = status;
    this.output = child.stdout() + child.stderr();
  }
}

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { SignalboxError } from "../contract/errors.ts";
import { acquireOwnership, readOwner } from "./owner-lock.ts";
import { localTime, readOwnerRecord } from "./owner-record.ts";

let root: string;
let dir: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "owner-"));
  dir = join(root, "data");
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

const since = Date.UTC(2026, 10, 30, 21, 42, 21);
const self = { pid: process.pid, startedAtMs: since, host: "headless" as const };

function refused(): SignalboxError {
  try {
    acquireOwnership(dir, { pid: 1, startedAtMs: 0 });
  } catch (thrown) {
    if (thrown instanceof SignalboxError) return thrown;
  }
  throw new Error("it was not refused");
}

test("the second owner is told who has the directory, and since when", () => {
  const mine = acquireOwnership(dir, self);
  const error = refused();
  expect(error.code).toBe("E_OWNED");
  expect(error.message).toContain(
    `in use by process ${process.pid}, since ${localTime(since)} (local time)`,
  );
  expect(error.details).toMatchObject({ pid: process.pid, startedAtMs: since });
  mine.release();
  acquireOwnership(dir, self).release();
});

test("the record is published whole, private, and gone after a clean stop", () => {
  const mine = acquireOwnership(dir, self);
  expect(readOwner(dir)).toMatchObject({ pid: process.pid });
  expect(mine.publish({ ...self, url: "http://127.0.0.1:1" })).toBe(true);
  expect(readOwner(dir)?.url).toBe("http://127.0.0.1:1");
  if (process.platform !== "win32") {
    expect(statSync(dir).mode & 0o777).toBe(0o700);
    expect(statSync(join(dir, "gateway.json")).mode & 0o777).toBe(0o600);
  }
  mine.release();
  mine.release();
  expect(existsSync(join(dir, "gateway.json"))).toBe(false);
  expect(mine.publish(self)).toBe(false);
});

test("a record whose owner is gone counts for nothing", () => {
  acquireOwnership(dir, self).release();
  writeFileSync(join(dir, "gateway.json"), JSON.stringify({ ...self, url: "http://127.0.0.1:9" }));
  expect(readOwnerRecord(dir)?.url).toBe("http://127.0.0.1:9");
  expect(readOwner(dir)).toBeNull();
});

test("damaged records are no record", () => {
  expect(readOwner(dir)).toBeNull();
  acquireOwnership(dir, self).release();
  writeFileSync(join(dir, "gateway.json"), '{"pid":"x"');
  expect(readOwnerRecord(dir)).toBeNull();
});

test("kill -9 frees the directory", async () => {
  const child = spawn(
    process.execPath,
    [
      "--expose-gc",
      "--input-type=module",
      "-e",
      // Nothing keeps what it returns, and memory is collected at once: the lock must hold all the same.
      `import { acquireOwnership } from ${JSON.stringify(join(import.meta.dirname, "owner-lock.ts"))};
       acquireOwnership(${JSON.stringify(dir)}, { pid: process.pid, startedAtMs: 5, host: "headless" });
       globalThis.gc();
       console.log("held");
       setInterval(() => {}, 1000);`,
    ],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  expect(refused().details["pid"]).toBe(child.pid);
  expect(readOwner(dir)?.pid).toBe(child.pid);
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(readOwner(dir)).toBeNull();
  acquireOwnership(dir, self).release();
});

test("a directory that cannot be made is refused in words", () => {
  writeFileSync(join(root, "file"), "");
  expect(() => acquireOwnership(join(root, "file", "data"), self)).toThrow(/cannot be written/);
});

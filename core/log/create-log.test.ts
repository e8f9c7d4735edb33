import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock, type Clock } from "../clock.ts";
import { createLog, type LogOptions, type OpenLog } from "./create-log.ts";

let dir: string;
let nowMs: number;
const opened: OpenLog[] = [];
const clock: Clock = { ...systemClock, nowMs: () => nowMs };

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "log-"));
  nowMs = Date.UTC(2026, 10, 30, 12, 0, 0);
});
afterEach(() => {
  for (const log of opened.splice(0)) log.close();
  rmSync(dir, { recursive: true, force: true });
});

function open(options: Partial<LogOptions> = {}): OpenLog {
  const log = createLog({ dir: join(dir, "logs"), bootId: "b1", clock, ...options });
  opened.push(log);
  return log;
}
const text = (name = "signalbox.log"): string => readFileSync(join(dir, "logs", name), "utf8");
const lines = (): unknown[] =>
  text()
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as unknown);

test("a line says when, how bad, where, what and in which boot", () => {
  const { log, ring } = open();
  log.area("turns").info("turn.ended", { sessionKey: "k", ms: 12, nothing: undefined });
  log.debug("too.fine");
  expect(lines()).toEqual([
    {
      at: "2026-11-30T12:00:00.000Z",
      level: "info",
      area: "turns",
      event: "turn.ended",
      bootId: "b1",
      sessionKey: "k",
      ms: 12,
    },
  ]);
  expect(ring.tail()).toEqual([
    {
      seq: 1,
      atMs: nowMs,
      level: "info",
      area: "turns",
      event: "turn.ended",
      sessionKey: "k",
      text: "ms=12",
    },
  ]);
});

test("a known secret is in no file and no ring, however it is spelled", () => {
  const { log, ring, addSecret } = open();
  const secret = 'sk-"quoted" & long';
  addSecret(secret);
  addSecret("ab");
  log.error(
    "call.failed",
    { text: `key ${secret}`, url: `http://x/?k=${encodeURIComponent(secret)}` },
    new Error(`refused ${secret}`, { cause: new Error(secret) }),
  );
  log.info("about.it", { text: "ab stays" });
  const everything = text() + JSON.stringify(ring.tail());
  expect(everything).not.toContain("quoted");
  expect(everything).toContain("[secret]");
  expect(everything).toContain("ab stays");
  expect(lines()).toHaveLength(2);
});

test("the ring keeps the newest, filters, and tells listeners", () => {
  const { log, ring } = open();
  const heard: number[] = [];
  const stop = ring.onLine((line) => heard.push(line.seq));
  for (let n = 1; n <= 2005; n++) log.info("n", { n, sessionKey: n % 2 ? "odd" : "even" });
  stop();
  log.warn("last");
  expect(heard).toHaveLength(2005);
  const all = ring.tail({ limit: 5000 });
  expect(all).toHaveLength(2000);
  expect(all[0]?.seq).toBe(7);
  expect(ring.tail({ limit: 2, sessionKey: "odd" }).map((line) => line.seq)).toEqual([2003, 2005]);
  expect(ring.tail({ level: "warn" }).map((line) => line.event)).toEqual(["last"]);
  expect(ring.tail({ after: 2004 }).map((line) => line.seq)).toEqual([2005, 2006]);
});

test("files begin anew by size and by day, and a bounded number is kept", () => {
  const limits = { maxBytes: 400, keep: 2 };
  const { log } = open({ limits });
  for (let n = 0; n < 30; n++) log.info("filler", { n });
  expect(readdirSync(join(dir, "logs")).toSorted()).toEqual([
    "signalbox.1.log",
    "signalbox.2.log",
    "signalbox.log",
  ]);
  nowMs += 24 * 3600 * 1000;
  log.info("next.day");
  expect(lines()).toHaveLength(1);
  expect(text("signalbox.1.log")).toContain('"n":29');
});

test("a later boot goes on in the same file", () => {
  nowMs = Date.now(); // the file's own day is what the system says
  open().log.info("first");
  open({ bootId: "b2" }).log.info("second");
  expect(lines()).toHaveLength(2);
});

test("a disk that takes nothing costs lines, never the gateway", () => {
  writeFileSync(join(dir, "logs"), "a file where the directory should be");
  const { log, ring, droppedLines } = open();
  log.info("still.here");
  expect(ring.tail()).toHaveLength(1);
  expect(droppedLines()).toBe(1);
});

test("the level can be changed while it runs", () => {
  const { log, ring, setLevel } = open();
  setLevel("debug");
  log.debug("seen");
  setLevel("error");
  log.warn("not.seen");
  expect(ring.tail().map((line) => line.event)).toEqual(["seen"]);
});

import { expect, test } from "vitest";
import type { LogLine } from "../../../core/contract/domain.ts";
import { asJsonLines, chipCounts, logLevels, matchingLines, type LogChip } from "./log-filter.ts";

const line = (seq: number, level: LogLine["level"], text: string): LogLine => ({
  seq,
  atMs: Date.UTC(2026, 7, 4, 9, 0, seq),
  level,
  area: "turns",
  event: "turn.ended",
  sessionKey: seq === 2 ? "agent:main:telegram:dm:41" : null,
  text,
});
const lines = [
  line(1, "trace", "a"),
  line(2, "info", "b"),
  line(3, "warn", "c"),
  line(4, "fatal", "d"),
];
const all = new Set(logLevels);

test.each<{ levels: ReadonlySet<LogChip>; text: string; seqs: number[] }>([
  { levels: all, text: "", seqs: [1, 2, 3, 4] },
  { levels: new Set(["error"]), text: "", seqs: [4] },
  { levels: new Set(["debug"]), text: "", seqs: [1] },
  { levels: new Set(), text: "", seqs: [] },
  { levels: all, text: "TURNS c", seqs: [3] },
  { levels: all, text: "telegram", seqs: [2] },
  { levels: all, text: "turns nothing", seqs: [] },
])("$text finds $seqs", ({ levels, text, seqs }) => {
  expect(matchingLines(lines, levels, text).map(({ seq }) => seq)).toEqual(seqs);
});

test("rare levels are counted with their neighbours", () => {
  expect(chipCounts(lines)).toEqual({ debug: 1, info: 1, warn: 1, error: 1 });
});

test("copied lines are JSON, one a line, with their time", () => {
  const copied = asJsonLines(lines).split("\n");
  expect(copied).toHaveLength(4);
  expect(JSON.parse(copied[1] ?? "")).toEqual({
    at: "2026-08-04T09:00:02.000Z",
    seq: 2,
    level: "info",
    area: "turns",
    event: "turn.ended",
    sessionKey: "agent:main:telegram:dm:41",
    text: "b",
  });
});

import { describe, expect, test } from "vitest";
import type { MessageRow } from "../../../core/contract/domain.ts";
import { asSessionId } from "../../../core/contract/ids.ts";
import {
  asMarkdown,
  matchingItems,
  transcriptItems,
  type TranscriptParts,
} from "./transcript-items.ts";

const at = new Date(2026, 7, 4, 12).getTime();
const message = (id: number, more: Partial<MessageRow> = {}): MessageRow => ({
  id,
  sessionId: asSessionId("s"),
  role: "user",
  text: `m${id}`,
  from: "Anna",
  atMs: at + id * 1_000,
  turnId: null,
  cut: null,
  tools: [],
  textBytes: 2,
  delivery: null,
  ...more,
});
const nothing: TranscriptParts = {
  messages: [],
  hasMore: false,
  loaded: true,
  live: null,
  waiting: [],
  outgoing: [],
  answers: [],
};
const kinds = (parts: Partial<TranscriptParts>) =>
  transcriptItems({ ...nothing, ...parts }).map((item) => item.kind);

describe("the order of a transcript", () => {
  test("said, being said, waiting, on its way", () => {
    expect(
      kinds({
        messages: [message(1), message(2, { role: "boundary" })],
        live: { turnId: "t", text: "hm", tool: null },
        waiting: [
          {
            inputId: 1,
            kind: "message",
            place: "slot",
            preview: "w",
            from: "Anna",
            acceptedAtMs: at,
            reason: "busy",
          },
        ],
        outgoing: [{ messageId: "o", text: "o", atMs: at, inputId: null }],
      }),
    ).toEqual(["start", "day", "message", "boundary", "live", "waiting", "outgoing"]);
  });

  test("an empty transcript has no start; one with more above says so", () => {
    expect(kinds({})).toEqual([]);
    expect(kinds({ messages: [message(1)], hasMore: true })).toEqual(["older", "day", "message"]);
  });

  test("one sender in a row stands under one name, until a pause or another day", () => {
    const items = transcriptItems({
      ...nothing,
      messages: [
        message(1),
        message(2),
        message(3, { from: "Oleh" }),
        message(4, { from: "Oleh", atMs: at + 600_000 }),
        message(5, { from: "Oleh", atMs: at + 86_400_000 }),
      ],
    });
    expect(items.flatMap((item) => (item.kind === "message" ? [item.continues] : []))).toEqual([
      false,
      true,
      false,
      false,
      false,
    ]);
    expect(items.filter((item) => item.kind === "day")).toHaveLength(2);
  });
});

test("a command's answer stands where it was given", () => {
  const answer = { id: "a", command: "/status", text: "idle", atMs: at + 2_500 };
  expect(kinds({ messages: [message(1), message(2), message(3)], answers: [answer] })).toEqual([
    "start",
    "day",
    "message",
    "message",
    "answer",
    "message",
  ]);
});

test("finding looks into every text, whatever its case", () => {
  const items = transcriptItems({
    ...nothing,
    messages: [message(1, { text: "Hello" }), message(2)],
  });
  expect(matchingItems(items, "hELLO").map((index) => items[index]?.kind)).toEqual(["message"]);
  expect(matchingItems(items, " ")).toEqual([]);
});

test("as Markdown it keeps names, texts, tools and bars", () => {
  const tool = { id: "1", name: "run", outcome: "failed" as const, outputBytes: 1, output: "x" };
  const text = asMarkdown(
    "Anna",
    [
      message(1),
      message(2, { role: "boundary", text: "Restarted" }),
      message(3, { tools: [tool] }),
    ],
    (one) => one.from ?? "?",
  );
  expect(text).toMatch(/^# Anna\n\n\*\*Anna\*\* · 2026-08-04 .* UTC\n\nm1\n\n---\n\n_Restarted, /);
  expect(text).toContain("- `run`: failed");
});

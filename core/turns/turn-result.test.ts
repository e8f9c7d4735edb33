import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { historyOf } from "../transcripts/message-view.ts";
import { replyText, resultRows } from "./turn-result.ts";
import type { Segment, TurnResult } from "./turn-result.ts";

const result = (segments: Segment[], part: Partial<TurnResult> = {}): TurnResult => ({
  outcome: "completed",
  segments,
  usage: null,
  model: null,
  finish: "stop",
  error: null,
  because: null,
  tell: false,
  ...part,
});
const text = (said: string): Segment => ({ kind: "text", text: said });
const tool = (id: string, output: string | null, failed = false): Segment => ({
  kind: "tool",
  call: { id, name: `tool-${id}`, args: {} },
  output: output ?? "",
  failed,
  done: output !== null,
});

describe("the rows of a result", () => {
  test("text opens a row, the calls made after it belong to it, their results follow", () => {
    const rows = resultRows(
      result([text("Look."), tool("a", "1"), tool("b", "2", true), text("Done.")]),
    );
    expect(rows.map(({ role, content, finishReason }) => [role, content, finishReason])).toEqual([
      ["assistant", "Look.", null],
      ["tool", "1", "ok"],
      ["tool", "2", "failed"],
      ["assistant", "Done.", "stop"],
    ]);
    expect(rows[0]?.toolCalls?.map(({ id }) => id)).toEqual(["a", "b"]);
  });

  test("a call without text before it opens its own row; one without an answer is closed as unknown", () => {
    const rows = resultRows(result([tool("a", null)], { outcome: "stopped" }));
    expect(rows).toMatchObject([
      { role: "assistant", content: "", finishReason: "cut:stopped" },
      { role: "tool", toolCallId: "a", finishReason: "unknown" },
    ]);
  });

  test("a person's message that was put in stands where it was read", () => {
    const rows = resultRows(
      result([tool("a", "1"), { kind: "steer", inputId: 9, text: "hurry" }, text("Done.")]),
    );
    expect(rows.map(({ role, content, inputId }) => [role, content, inputId])).toEqual([
      ["assistant", "", null],
      ["tool", "1", null],
      ["user", "hurry", 9],
      ["assistant", "Done.", null],
    ]);
  });

  test("nothing said leaves no row", () => {
    expect(resultRows(result([]))).toEqual([]);
    expect(resultRows(result([text("")]))).toEqual([]);
  });

  const id = fc.constantFrom("a", "b");
  const segment: fc.Arbitrary<Segment> = fc.oneof(
    fc.constantFrom("x", "").map(text),
    fc
      .tuple(id, fc.option(fc.constantFrom("1", ""), { nil: null }), fc.boolean())
      .map(([one, output, failed]) => tool(one, output, failed)),
    fc.constant<Segment>({ kind: "steer", inputId: 1, text: "s" }),
  );
  test("whatever happened, the next request may show all of it", () => {
    fc.assert(
      fc.property(
        fc.array(segment, { maxLength: 8 }),
        fc.constantFrom("completed" as const, "failed" as const, "stopped" as const),
        (segments, outcome) => {
          const ids = segments.flatMap((one) => (one.kind === "tool" ? [one.call.id] : []));
          fc.pre(new Set(ids).size === ids.length);
          const rows = resultRows(result(segments, { outcome }));
          const history = historyOf(
            rows.map((row) => ({
              ...row,
              toolCalls: row.toolCalls && JSON.stringify(row.toolCalls),
            })),
          );
          expect(
            history.filter(({ role }) => role === "tool").map((one) => one.toolCallId),
          ).toEqual(ids);
        },
      ),
    );
  });
});

describe("the reply", () => {
  test.each<[Segment[], string]>([
    [[text("first"), tool("a", "1"), text(" last \n")], "last"],
    [[text("said"), tool("a", "1")], "said"],
    [[text("said"), tool("a", "1"), text("  ")], "said"],
    [[tool("a", "1")], ""],
    [[], ""],
  ])("%#: what was said last", (segments, reply) => {
    expect(replyText(segments)).toBe(reply);
  });
});

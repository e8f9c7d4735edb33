import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { HistoryMessage } from "../agents/runtime.ts";
import { asSessionId } from "../contract/ids.ts";
import type { StoredMessage } from "./message-store.ts";
import { historyOf, messageRows } from "./message-view.ts";

const calls = (...ids: string[]) =>
  JSON.stringify(ids.map((id) => ({ id, name: `tool-${id}`, args: { id } })));

let nextId = 1;
const stored = (part: Partial<StoredMessage>): StoredMessage => ({
  id: nextId++,
  sessionId: asSessionId("s"),
  role: "user",
  text: "",
  textBytes: Buffer.byteLength(part.text ?? ""),
  timestamp: 5,
  turnId: null,
  senderName: null,
  toolCallId: null,
  toolCalls: null,
  toolName: null,
  finishReason: null,
  displayKind: null,
  delivery: null,
  ...part,
});
const tool = (id: string, text: string, finishReason = "ok") =>
  stored({ role: "tool", toolCallId: id, toolName: `tool-${id}`, text, finishReason });

describe("a page of a transcript", () => {
  test("results are folded into the row that called, each with its outcome", () => {
    const rows = messageRows([
      stored({ role: "user", text: "go", senderName: "Ada" }),
      stored({ role: "assistant", text: "Looking.", toolCalls: calls("a", "b", "c") }),
      tool("b", "second", "failed"),
      tool("a", "first"),
      tool("c", "?", "unknown"),
      stored({ role: "assistant", text: "Done." }),
    ]);
    expect(rows.map(({ role, text }) => [role, text])).toEqual([
      ["user", "go"],
      ["assistant", "Looking."],
      ["assistant", "Done."],
    ]);
    expect(rows[0]).toMatchObject({ from: "Ada", tools: [] });
    expect(rows[1]?.tools).toEqual([
      { id: "a", name: "tool-a", outcome: "ok", output: "first", outputBytes: 5 },
      { id: "b", name: "tool-b", outcome: "failed", output: "second", outputBytes: 6 },
      { id: "c", name: "tool-c", outcome: "unknown", output: "?", outputBytes: 1 },
    ]);
  });

  test("a result whose call is on an earlier page stands alone", () => {
    const [row] = messageRows([tool("a", "x".repeat(5_000))]);
    expect(row).toMatchObject({ role: "tool", text: "" });
    expect(row?.tools[0]).toMatchObject({ name: "tool-a", outputBytes: 5_000 });
    expect(row?.tools[0]?.output).toHaveLength(4_000);
  });

  test("a reply that ended early says how", () => {
    const rows = messageRows([
      stored({ role: "assistant", text: "Half", finishReason: "cut:stopped" }),
      stored({ role: "assistant", text: "Whole", finishReason: "stop" }),
    ]);
    expect(rows.map(({ cut }) => cut)).toEqual(["stopped", null]);
  });

  test.each(["{", "null", "7", '[null, 7, "a", {"id": 1, "name": "x"}, {"id": "a"}]'])(
    "calls stored as %j are no calls",
    (toolCalls) => {
      const [row] = messageRows([stored({ role: "assistant", text: "hm", toolCalls })]);
      expect(row).toMatchObject({ text: "hm", tools: [] });
    },
  );
});

type Row = Parameters<typeof historyOf>[0][number];
const row = (part: Partial<Row>): Row => ({
  role: "user",
  content: "",
  toolCallId: null,
  toolCalls: null,
  toolName: null,
  ...part,
});

describe("the history that an agent is shown (lifecycle 3.8)", () => {
  test("bars are left out, a summary is told, two messages in a row are one", () => {
    expect(
      historyOf([
        row({ role: "boundary", content: "Fresh start." }),
        row({ role: "system", displayKind: "summary", content: "Before: tea." }),
        row({ content: "one" }),
        row({ role: "boundary", content: "The agent failed." }),
        row({ content: "two" }),
        row({ role: "assistant", content: "both" }),
      ]),
    ).toEqual([
      { role: "user", text: "Before: tea.\n\none\n\ntwo" },
      { role: "assistant", text: "both" },
    ]);
  });

  test("calls go with their results, in the order of the calls", () => {
    expect(
      historyOf([
        row({ content: "go" }),
        row({ role: "assistant", content: "Looking.", toolCalls: calls("a", "b") }),
        row({ role: "tool", toolCallId: "b", toolName: "tool-b", content: "2" }),
        row({ role: "tool", toolCallId: "a", content: "1" }),
      ]),
    ).toEqual([
      { role: "user", text: "go" },
      {
        role: "assistant",
        text: "Looking.",
        toolCalls: [
          { id: "a", name: "tool-a", args: { id: "a" } },
          { id: "b", name: "tool-b", args: { id: "b" } },
        ],
      },
      { role: "tool", text: "1", toolCallId: "a" },
      { role: "tool", text: "2", toolCallId: "b", toolName: "tool-b" },
    ]);
  });

  test("a call that a crash left without its result is dropped, what was said with it is not", () => {
    const [question, said, nothing] = [
      row({ content: "go" }),
      row({ role: "assistant", content: "Looking.", toolCalls: calls("a") }),
      row({ role: "assistant", toolCalls: calls("b") }),
    ];
    expect(historyOf([question, said, nothing])).toEqual([
      { role: "user", text: "go" },
      { role: "assistant", text: "Looking." },
    ]);
  });

  test("an id that a provider uses again belongs to the call before it", () => {
    const answer = (content: string) => row({ role: "tool", toolCallId: "call_0", content });
    const asked = row({ role: "assistant", toolCalls: calls("call_0") });
    const told = historyOf([asked, answer("1"), row({ content: "again" }), asked, answer("2")]);
    expect(told.map(({ role, text }) => [role, text])).toEqual([
      ["assistant", ""],
      ["tool", "1"],
      ["user", "again"],
      ["assistant", ""],
      ["tool", "2"],
    ]);
  });

  const id = fc.constantFrom("a", "b", "c");
  const anyRow: fc.Arbitrary<Row> = fc.oneof(
    fc.constantFrom("hi", "").map((content) => row({ content })),
    fc.constant(row({ role: "boundary", content: "bar" })),
    fc.constant(row({ role: "system", displayKind: "summary", content: "so far" })),
    fc
      .tuple(fc.constantFrom("said", ""), fc.uniqueArray(id, { maxLength: 3 }))
      .map(([content, ids]) =>
        row({ role: "assistant", content, toolCalls: ids.length > 0 ? calls(...ids) : null }),
      ),
    fc
      .tuple(id, fc.string())
      .map(([toolCallId, content]) => row({ role: "tool", toolCallId, content })),
  );

  /** What providers refuse, as a list of complaints. */
  function complaints(history: readonly HistoryMessage[]): string[] {
    const found: string[] = [];
    let open: string[] = [];
    history.forEach((message, at) => {
      if (message.role === "tool") {
        if (open.shift() !== message.toolCallId) found.push(`${at}: a result without its call`);
        return;
      }
      if (open.length > 0) found.push(`${at}: a call without its result`);
      if (history[at - 1]?.role === message.role) found.push(`${at}: ${message.role} twice`);
      open = (message.toolCalls ?? []).map((call) => call.id);
      if (message.role === "assistant" && message.text === "" && open.length === 0)
        found.push(`${at}: nothing said`);
    });
    if (open.length > 0) found.push("the end: a call without its result");
    return found;
  }

  test("whatever rows are left, no provider has a reason to refuse them", () => {
    fc.assert(
      fc.property(fc.array(anyRow, { maxLength: 14 }), (rows) => {
        expect(complaints(historyOf(rows))).toEqual([]);
      }),
      { numRuns: 1000 },
    );
  });

  test("what people wrote is all there, in order", () => {
    fc.assert(
      fc.property(fc.array(anyRow, { maxLength: 10 }), (rows) => {
        const numbered = rows.map((one, at) =>
          one.role === "user" ? { ...one, content: `<${at}>` } : one,
        );
        const told = historyOf(numbered).flatMap(({ role, text }) =>
          role === "user" ? (text.match(/<\d+>/g) ?? []) : [],
        );
        expect(told).toEqual(
          numbered.flatMap(({ role, content }) => (role === "user" ? [content] : [])),
        );
      }),
    );
  });
});

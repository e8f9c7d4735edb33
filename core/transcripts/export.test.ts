import { describe, expect, test } from "vitest";
import { testStores } from "../testing/test-database.ts";
import { dmSource, laneOrigin } from "../testing/samples.ts";
import { createExport } from "./export.ts";
import type { ExportRequest } from "./export.ts";

const atMs = Date.UTC(2026, 10, 1, 9);

function world() {
  const stores = testStores();
  const { db, directory } = stores;
  const row = db.writeNow(() => directory.ensureLane(laneOrigin(dmSource("7")), atMs));
  const add = (part: Partial<Parameters<typeof directory.messages.append>[0]>): number =>
    db.writeNow(() =>
      directory.messages.append({
        sessionId: row.sessionId,
        role: "user",
        content: "",
        timestamp: atMs,
        ...part,
      }),
    );
  const whole = (format: ExportRequest["format"], between = (): void => undefined) => {
    const exports = createExport(db, (text) => text.replaceAll("hunter2-key", "[secret]"));
    let text = "";
    let pieces = 0;
    let cursor: string | null = null;
    do {
      const piece = exports.piece({ sessionId: row.sessionId, format, cursor });
      text += piece.chunk;
      pieces += 1;
      cursor = piece.nextCursor;
      between();
    } while (cursor !== null);
    return { text, pieces };
  };
  return { db, sessionId: row.sessionId, add, whole };
}

describe("an export", () => {
  test("as JSON is one object, however many pieces it came in, and stands still meanwhile", () => {
    const w = world();
    for (let n = 0; n < 40; n += 1) w.add({ content: `${n} ${"x".repeat(50_000)}` });
    w.add({ content: "", role: "assistant" });
    const { text, pieces } = w.whole("json", () => w.add({ content: "later" }));
    const file = JSON.parse(text) as { session: object; messages: { text: string }[] };
    expect(pieces).toBeGreaterThan(5);
    expect(file.messages.map((message) => message.text.split(" ")[0])).toEqual([
      ...Array.from({ length: 40 }, (_, n) => String(n)),
      "",
    ]);
    expect(file.session).toMatchObject({ sessionId: w.sessionId, title: "Person 7" });
  });

  test("holds tool calls and results, never a secret or a rewound row", () => {
    const w = world();
    w.add({ content: "my key is hunter2-key", senderName: "Ada" });
    w.add({
      role: "assistant",
      content: "Looking.",
      toolCalls: JSON.stringify([{ id: "c1", name: "read", args: { path: "a.txt" } }]),
    });
    w.add({ role: "tool", toolCallId: "c1", toolName: "read", content: "```\nfenced\n```" });
    const gone = w.add({ content: "take this back" });
    w.db.sql.prepare("UPDATE messages SET active = 0 WHERE id = ?").run(gone);
    const { text } = w.whole("markdown");
    expect(text).toBe(`# Person 7

- Session: \`${w.sessionId}\`
- Lane: \`agent:main:telegram:dm:7\`
- Started: 2026-11-01T09:00:00.000Z

## Ada

*2026-11-01T09:00:00.000Z*

my key is [secret]

## assistant

*2026-11-01T09:00:00.000Z*

Looking.

Calls \`read\`:

\`\`\`json
{
  "path": "a.txt"
}
\`\`\`

## result of read

*2026-11-01T09:00:00.000Z*

\`\`\`\`
\`\`\`
fenced
\`\`\`
\`\`\`\`
`);
    const { messages } = JSON.parse(w.whole("json").text) as { messages: object[] };
    expect(messages[1]).toMatchObject({
      toolCalls: [{ id: "c1", name: "read", args: { path: "a.txt" } }],
    });
    expect(messages).toHaveLength(3);
  });

  test("of an empty session is a whole file too", () => {
    expect(JSON.parse(world().whole("json").text)).toMatchObject({ messages: [] });
  });

  test("refuses what is not there and a cursor of another", () => {
    const w = world();
    const exports = createExport(w.db, (text) => text);
    const ask = (part: Partial<ExportRequest>) => () =>
      exports.piece({ sessionId: w.sessionId, format: "json", cursor: null, ...part });
    expect(ask({ sessionId: "nobody" as never })).toThrow("no session");
    expect(ask({ cursor: "bm9wZQ" })).toThrow("another export");
  });
});

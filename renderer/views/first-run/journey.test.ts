import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { setOut, stages, travelled, type Journey, type News } from "./journey.ts";

const row = (changes: Partial<Extract<News, { kind: "row" }>["row"]>): News => ({
  kind: "row",
  row: { state: "idle", queueDepth: 0, error: null, ...changes },
});
const said = (role: "user" | "assistant", text = ""): News => ({
  kind: "messages",
  messages: [{ role, text }],
});
const through = (news: readonly News[]): Journey =>
  news.reduce((journey, one, index) => travelled(journey, one, 1_000 + index + 1), setOut(1_000));

describe("a message on its way", () => {
  test("through a busy lane it shows every stage", () => {
    const journey = through([
      { kind: "accepted" },
      row({ state: "queued", queueDepth: 1 }),
      row({ state: "running" }),
      { kind: "text", from: 0, text: "You" },
      said("assistant", "You said: hi"),
      { kind: "end", outcome: "completed" },
    ]);
    expect(journey).toMatchObject({
      reached: { accepted: 1, queued: 2, started: 3, reply: 5, delivered: 6 },
      answer: "You said: hi",
      over: true,
      failure: null,
    });
  });

  test("through a free lane the queue is passed, and late news of acceptance changes nothing", () => {
    const journey = through([said("user"), { kind: "accepted" }, said("assistant", "x")]);
    expect(journey.reached).toMatchObject({ accepted: 1, queued: "passed", started: 1, reply: 3 });
    expect(journey.over).toBe(false);
  });

  test("a failure tells its reason, also when that comes after the end", () => {
    const failed = through([
      { kind: "accepted" },
      said("user"),
      { kind: "end", outcome: "failed" },
      row({ state: "failed", error: { code: "E_AGENT_DOWN", message: "No answer." } }),
    ]);
    expect(failed).toMatchObject({
      over: true,
      failure: { code: "E_AGENT_DOWN", message: "No answer." },
      reached: { started: 2, reply: null, delivered: null },
    });
  });

  test("a refusal ends it before it began", () => {
    const error = { code: "E_DRAINING", message: "No.", details: {} } as const;
    expect(through([{ kind: "refused", error }])).toMatchObject({
      over: true,
      failure: error,
      reached: { accepted: null },
    });
  });
});

test("in any order of news the stages come in order, and what is over stays", () => {
  const news = fc.oneof<fc.Arbitrary<News>[]>(
    fc.constant({ kind: "accepted" }),
    fc.constantFrom(row({ state: "queued" }), row({ state: "running" }), row({})),
    fc.constantFrom(said("user"), said("assistant", "x")),
    fc.constant({ kind: "text", from: 0, text: "x" }),
    fc.constantFrom<News>(
      { kind: "end", outcome: "completed" },
      { kind: "end", outcome: "failed" },
    ),
  );
  fc.assert(
    fc.property(fc.array(news, { maxLength: 12 }), (many) => {
      const journey = through(many);
      const known = stages.map((stage) => journey.reached[stage]);
      const firstOpen = known.indexOf(null);
      if (firstOpen >= 0) expect(known.slice(firstOpen).every((at) => at === null)).toBe(true);
      const times = known.filter((at) => typeof at === "number");
      expect(times).toEqual(times.toSorted((a, b) => a - b));
      if (journey.over)
        expect(travelled(journey, { kind: "accepted" }, 9_999).reached).toEqual(journey.reached);
    }),
  );
});

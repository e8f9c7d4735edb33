import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { breakerTrips, decideLane, stuckThreshold } from "./boot-decision.ts";
import type { BootSettings, LaneFound, LaneVerdict } from "./boot-decision.ts";

const hourMs = 3_600_000;

/** A lane in which nothing happened. */
const quiet: LaneFound = {
  suspended: false,
  stopped: null,
  hasOrigin: true,
  marker: null,
  resumePending: null,
  tail: null,
  recorded: false,
  resumeQueued: null,
  restarts: 0,
};
const settings: BootSettings = {
  clean: false,
  maxAgeMs: hourMs,
  freshnessMs: hourMs,
  breakerTripped: false,
};
const marker = { ageMs: 5_000 };
const pending = { reason: "shutdown_timeout", ageMs: 5_000, told: false };
const question = {
  role: "user",
  text: "What is it?",
  hasToolCalls: false,
  sinceMarker: true,
  internalPrompt: false,
};
const reply = { ...question, role: "assistant", text: "It is this." };

const resumed: LaneVerdict = { kind: "resume", reason: "restart_interrupted" };
const decide = (found: Partial<LaneFound>, more: Partial<BootSettings> = {}): LaneVerdict =>
  decideLane({ ...quiet, ...found }, { ...settings, ...more });

describe("the crash windows of lifecycle 11.6", () => {
  test.each<[window: string, found: Partial<LaneFound>, verdict: LaneVerdict]>([
    ["accepted and turn start: nothing was begun, the message waits", {}, { kind: "nothing" }],
    ["turn start and reply persisted: resumed once", { marker, tail: question }, resumed],
    [
      "reply persisted and obligation recorded: owed from the transcript, not made again",
      { marker, tail: reply },
      { kind: "settle", owed: "It is this." },
    ],
    [
      "recorded and attempting: the ledger's",
      { marker, tail: reply, recorded: true },
      { kind: "ledger-owns" },
    ],
    [
      "marker release and anything later: the row alone, no turn",
      { tail: reply, recorded: true },
      { kind: "nothing" },
    ],
  ])("%s", (_window, found, verdict) => {
    expect(decide(found)).toEqual(verdict);
  });
});

describe("a reply in the transcript is judged as live delivery would have (lifecycle 10.4)", () => {
  test.each<[what: string, tail: Partial<typeof reply>, verdict: LaneVerdict]>([
    ["text is owed, trimmed", { text: " Done. \n" }, { kind: "settle", owed: "Done." }],
    ["blank text is no reply", { text: "  " }, resumed],
    ["an unfinished tool call is no reply", { hasToolCalls: true }, resumed],
    ["what was said before the turn is not its reply", { sinceMarker: false }, resumed],
    ["a person's row is no reply", { role: "user" }, resumed],
    ["a tool's row is no reply", { role: "tool" }, resumed],
    [
      "silence, where machinery asked, owes nothing",
      { text: "NO_REPLY", internalPrompt: true },
      { kind: "settle", owed: null },
    ],
    [
      "silence, where a person asked, owes the word",
      { text: "NO_REPLY" },
      {
        kind: "settle",
        owed: "The agent answered with a silence marker only; there is no reply to show.",
      },
    ],
  ])("%s", (_what, tail, verdict) => {
    expect(decide({ marker, tail: { ...reply, ...tail } })).toEqual(verdict);
  });

  test("without a marker nothing in the transcript is owed", () => {
    expect(decide({ tail: reply })).toEqual({ kind: "nothing" });
    expect(decide({ tail: reply, resumePending: pending })).toMatchObject({ kind: "resume" });
  });
});

describe("the order is the rule", () => {
  const stopped = { because: "Stopped.", tell: true };
  const stuck = { restarts: stuckThreshold };
  const old = { marker: { ageMs: hourMs + 1 } };

  /** Each line says what wins over everything below it. */
  const ladder: [kind: LaneVerdict["kind"], found: Partial<LaneFound>][] = [
    ["ledger-owns", { recorded: true }],
    ["settle", { tail: reply }],
    ["stopped", { stopped }],
    ["give-up", { suspended: true }],
    ["discard", { hasOrigin: false }],
    ["suspend-stuck", stuck],
    ["give-up", old],
  ];
  test.each(ladder.map(([kind], at) => [kind, at] as const))(
    "%s wins over what comes below it (%i)",
    (kind, at) => {
      const below = Object.assign({}, ...ladder.slice(at).map(([, found]) => found)) as object;
      expect(decide({ marker, ...below }, { breakerTripped: true }).kind).toBe(kind);
    },
  );

  test("a suspension outranks a resume, whether a turn was cut or only pending", () => {
    expect(decide({ suspended: true, marker })).toEqual({
      kind: "give-up",
      because: "suspended",
      keepPending: false,
    });
    expect(decide({ suspended: true, resumePending: pending })).toEqual({ kind: "nothing" });
    expect(decide({ suspended: true, resumePending: pending, resumeQueued: "next" })).toEqual({
      kind: "give-up",
      because: "suspended",
      keepPending: true,
    });
  });

  test("at three interrupted restarts the loop is stopped, not before", () => {
    expect(decide({ marker, restarts: 2 })).toEqual(resumed);
    expect(decide({ marker, restarts: 3 })).toEqual({ kind: "suspend-stuck", restarts: 3 });
    expect(decide({ resumePending: pending, restarts: 3 }).kind).toBe("suspend-stuck");
    expect(decide({ restarts: 3 })).toEqual({ kind: "nothing" }); // nothing to take up: its loop is broken
  });

  test("age stops automation only", () => {
    expect(decide({ marker: { ageMs: hourMs } })).toEqual(resumed);
    expect(decide({ marker: { ageMs: hourMs + 1 } })).toEqual({
      kind: "give-up",
      because: "stale",
      keepPending: false,
    });
    const stale = { ...pending, ageMs: hourMs + 1 };
    expect(decide({ resumePending: stale })).toEqual({
      kind: "give-up",
      because: "stale",
      keepPending: true,
    });
    expect(decide({ resumePending: { ...stale, told: true } })).toEqual({ kind: "nothing" });
  });

  test("freshness of nought and less means always fresh", () => {
    for (const freshnessMs of [0, -1])
      expect(decide({ resumePending: { ...pending, ageMs: 1e12 } }, { freshnessMs }).kind).toBe(
        "resume",
      );
  });

  test("the breaker holds what would be resumed, and nothing else", () => {
    const tripped = { breakerTripped: true };
    expect(decide({ marker }, tripped)).toEqual({ kind: "hold", reason: "restart_interrupted" });
    expect(decide({ resumePending: pending }, tripped)).toEqual({
      kind: "hold",
      reason: "shutdown_timeout",
    });
    expect(decide({ marker, recorded: true }, tripped).kind).toBe("ledger-owns");
    expect(decide({}, tripped)).toEqual({ kind: "nothing" });
  });

  test("a resume that waits already is not queued twice; one that the breaker wants back is held", () => {
    const found = { resumePending: pending, resumeQueued: "next" as const };
    expect(decide(found)).toEqual({ kind: "nothing" });
    expect(decide(found, { breakerTripped: true }).kind).toBe("hold");
    const held = { resumePending: pending, resumeQueued: "held" as const };
    expect(decide(held).kind).toBe("resume"); // for that start only
    expect(decide(held, { breakerTripped: true }).kind).toBe("hold");
  });

  test("a turn that was cut beside a waiting resume is taken up all the same", () => {
    expect(decide({ marker, resumePending: pending, resumeQueued: "next" }).kind).toBe("resume");
  });

  test("the reason of an earlier mark stays", () => {
    expect(decide({ marker, resumePending: pending })).toEqual({
      kind: "resume",
      reason: "shutdown_timeout",
    });
  });

  test("after a clean stop a marker is an orphan: cleared, never resumed", () => {
    expect(decide({ marker, tail: reply }, { clean: true })).toEqual({ kind: "discard" });
    expect(decide({ marker, resumePending: pending }, { clean: true }).kind).toBe("resume");
  });
});

describe("every lane", () => {
  const found = fc.record<LaneFound>({
    suspended: fc.boolean(),
    stopped: fc.option(fc.record({ because: fc.constant("Stopped."), tell: fc.boolean() })),
    hasOrigin: fc.boolean(),
    marker: fc.option(fc.record({ ageMs: fc.nat(2 * hourMs) })),
    resumePending: fc.option(
      fc.record({
        reason: fc.option(fc.constant("restart_timeout")),
        ageMs: fc.nat(2 * hourMs),
        told: fc.boolean(),
      }),
    ),
    tail: fc.option(
      fc.record({
        role: fc.constantFrom("user", "assistant", "tool"),
        text: fc.option(fc.constantFrom("", "yes", "NO_REPLY")),
        hasToolCalls: fc.boolean(),
        sinceMarker: fc.boolean(),
        internalPrompt: fc.boolean(),
      }),
    ),
    recorded: fc.boolean(),
    resumeQueued: fc.constantFrom(null, "next", "held"),
    restarts: fc.nat(5),
  });
  const any = fc.record<BootSettings>({
    clean: fc.boolean(),
    maxAgeMs: fc.constant(hourMs),
    freshnessMs: fc.constantFrom(0, hourMs),
    breakerTripped: fc.boolean(),
  });

  test("with a marker is never left as it is: whoever waits is answered, owed, told or taken up", () => {
    fc.assert(
      fc.property(found, any, (lane, boot) => {
        if (lane.marker) expect(decideLane(lane, boot).kind).not.toBe("nothing");
      }),
    );
  });

  test("that has a reply, in the ledger or the transcript, is never run again", () => {
    fc.assert(
      fc.property(found, any, (lane, boot) => {
        const hasReply =
          lane.recorded ||
          (lane.tail?.role === "assistant" &&
            lane.tail.text === "yes" &&
            lane.tail.sinceMarker &&
            !lane.tail.hasToolCalls);
        if (!boot.clean && lane.marker && hasReply)
          expect(decideLane(lane, boot).kind).toMatch(/ledger-owns|settle/);
      }),
    );
  });

  test("that is suspended, stuck, or held by the breaker starts no turn", () => {
    fc.assert(
      fc.property(found, any, (lane, boot) => {
        if (lane.suspended || lane.restarts >= stuckThreshold || boot.breakerTripped)
          expect(decideLane(lane, boot).kind).not.toBe("resume");
      }),
    );
  });
});

describe("the crash-loop breaker (lifecycle 10.5)", () => {
  const guard = { maxRestarts: 3, windowMs: 60_000, maxGapMs: 300_000 };
  const now = 10_000_000;
  const before = (...seconds: number[]): number[] => seconds.map((s) => now - s * 1000);

  test.each<[what: string, earlier: number[], chain: number, trips: boolean]>([
    ["the first boot", [], 1, false],
    ["the second", before(10), 2, false],
    ["the third in a row", before(10, 20), 3, true],
    ["gaps of five minutes still make a chain", before(300, 600), 3, true],
    ["a longer one breaks it", before(301, 302, 303), 1, false],
    ["a break in the middle ends it", before(10, 400, 410), 2, false],
    ["the order of the record does not matter", before(20, 10), 3, true],
    ["a time far ahead is a set clock, not a boot", [now + 400_000, now + 500_000], 1, false],
    ["one a little ahead is a boot before the clock was set back", [now + 100_000, now], 3, true],
  ])("%s", (_what, earlier, chain, trips) => {
    expect(breakerTrips(earlier, now, guard)).toEqual({ trips, chain });
  });

  test("nought disables it", () => {
    expect(breakerTrips(before(1, 2, 3, 4), now, { ...guard, maxRestarts: 0 }).trips).toBe(false);
  });
});

import { describe, expect, test } from "vitest";
import { createPracticeRuntime } from "../agents/practice.ts";
import type { Agent, AgentEvent } from "../agents/runtime.ts";
import { turnRequest } from "../agents/testing/collect.ts";
import { SignalboxError } from "../contract/errors.ts";
import { manualClock } from "../testing/manual-clock.ts";
import { settle, until } from "../testing/until.ts";
import { runTurn } from "./turn-run.ts";
import type { CutShort } from "./turn-run.ts";

const request = turnRequest();
const usage = { inputTokens: 3, outputTokens: 2, cacheReadTokens: 1, cacheWriteTokens: 0 };
const text = (delta: string): AgentEvent => ({ type: "text", delta });
const end: AgentEvent = { type: "end", state: "complete", finish: "stop", usage, model: "m" };
const call = (id: string): AgentEvent => ({
  type: "tool-call",
  call: { id, name: "look", args: {} },
});
const answer = (callId: string, output: string, failed = false): AgentEvent => ({
  type: "tool-result",
  callId,
  name: "look",
  output,
  failed,
});
const stopped: CutShort = { outcome: "stopped", because: "Stopped by panel.", tell: false };

type Script = (signal: AbortSignal) => AsyncIterable<AgentEvent>;

/** Starts a turn of an agent that follows `script`; `advance` moves its clock when it has come to rest. */
function begin(script: Script, limits: { idleMs?: number; graceMs?: number } = {}) {
  const clock = manualClock();
  const cut = new AbortController();
  const shown: string[] = [];
  const faults: unknown[] = [];
  const agent: Agent = {
    run: (_request, signal) => script(signal),
    liveBytes: () => 0,
    release: () => Promise.resolve(),
  };
  let over = false;
  const done = runTurn(
    agent,
    request,
    cut.signal,
    { idleMs: limits.idleMs ?? 10_000, graceMs: limits.graceMs ?? 2_000 },
    clock,
    {
      onText: (delta) => shown.push(delta),
      onTool: (name) => shown.push(`<${name}>`),
      onFault: (thrown) => faults.push(thrown),
    },
  ).finally(() => {
    over = true;
  });
  return {
    done,
    cut: () => {
      cut.abort(stopped);
    },
    async advance(ms: number): Promise<boolean> {
      await settle(3);
      clock.advance(ms);
      await settle(3);
      return over;
    },
    shown,
    faults,
    clock,
  };
}

/** Says these events, then `last`. */
async function* saying(
  events: readonly AgentEvent[],
  last: () => Promise<void> = async () => undefined,
) {
  yield* events;
  await last();
}
const never = (): Promise<never> => new Promise<never>(() => undefined);

describe("a turn to its end", () => {
  test("text joins, tools get their results, the end tells what it cost", async () => {
    const events = [
      text("Look"),
      text("ing."),
      call("a"),
      answer("a", "42"),
      text("It is 42."),
      end,
    ];
    const { done, shown, clock } = begin(() => saying(events));
    expect(await done).toEqual({
      abandoned: false,
      result: {
        outcome: "completed",
        segments: [
          { kind: "text", text: "Looking." },
          {
            kind: "tool",
            call: { id: "a", name: "look", args: {} },
            output: "42",
            failed: false,
            done: true,
          },
          { kind: "text", text: "It is 42." },
        ],
        usage,
        model: "m",
        finish: "stop",
        error: null,
        because: null,
        tell: false,
      },
    });
    expect(shown).toEqual(["Look", "ing.", "<look>", "It is 42."]);
    expect(clock.pending).toBe(0);
  });

  test("results find the call that still waits, where a provider uses an id twice", async () => {
    const events = [call("0"), answer("0", "one"), call("0"), answer("0", "two", true), end];
    const { result } = await begin(() => saying(events)).done;
    expect(result.segments).toMatchObject([
      { output: "one", failed: false, done: true },
      { output: "two", failed: true, done: true },
    ]);
  });

  test("a stream that broke is an answer cut off, with its reason", async () => {
    const broke: AgentEvent = { ...end, state: "interrupted", reason: "The server went away." };
    const { result } = await begin(() => saying([text("Half"), broke])).done;
    expect(result).toMatchObject({ outcome: "interrupted", because: "The server went away." });
  });

  test("an agent that ends without an end has failed", async () => {
    const { result } = await begin(() => saying([text("…")])).done;
    expect(result).toMatchObject({ outcome: "failed", error: { code: "E_AGENT_EMPTY" } });
  });

  test("an answer stands, however its agent leaves", async () => {
    async function* rude(): AsyncGenerator<AgentEvent> {
      try {
        yield text("Done.");
        yield end;
      } finally {
        await Promise.reject(new Error("on the way out"));
      }
    }
    expect(await begin(rude).done).toMatchObject({
      abandoned: false,
      result: { outcome: "completed", error: null },
    });
  });

  test("an answer stands too where its agent never leaves; it is given up after the grace", async () => {
    async function* stuck(): AsyncGenerator<AgentEvent> {
      try {
        yield end;
      } finally {
        await never();
      }
    }
    const turn = begin(stuck, { idleMs: 0, graceMs: 2_000 });
    expect(await turn.advance(1_999)).toBe(false);
    expect(await turn.advance(1)).toBe(true);
    expect(await turn.done).toMatchObject({ abandoned: true, result: { outcome: "completed" } });
  });
});

describe("errors of agents", () => {
  async function* throwing(thrown: unknown): AsyncGenerator<AgentEvent> {
    yield text("Half");
    throw thrown;
  }

  test("one of ours stays what it is", async () => {
    const own = new SignalboxError("E_AGENT_KEY", "The key was refused.", { status: 401 });
    const { result } = await begin(() => throwing(own)).done;
    expect(result).toMatchObject({
      outcome: "failed",
      segments: [{ text: "Half" }],
      error: { code: "E_AGENT_KEY", message: "The key was refused.", details: { status: 401 } },
    });
  });

  test("any other is a failure that tells the person nothing of the inside, and the log all of it", async () => {
    const inside = new Error("secret sauce");
    const { done, faults } = begin(() => throwing(inside));
    const { result } = await done;
    expect(result.error?.code).toBe("E_AGENT_FAILED");
    expect(JSON.stringify(result)).not.toContain("secret sauce");
    expect(faults).toEqual([inside]);
  });

  test("one that is thrown before the first event is a failure like others", async () => {
    const { result } = await begin(() => {
      throw new SignalboxError("E_AGENT_DOWN", "No server.");
    }).done;
    expect(result.error?.code).toBe("E_AGENT_DOWN");
  });
});

describe("the idle limit", () => {
  test("an agent without a sign of life is stopped and has failed", async () => {
    const turn = begin(
      (signal) =>
        saying([text("Let me think")], async () => {
          await until("the signal", () => signal.aborted);
          throw new SignalboxError("E_TURN_STOPPED", "stopped");
        }),
      { idleMs: 10_000 },
    );
    expect(await turn.advance(9_999)).toBe(false);
    await turn.advance(1);
    expect((await turn.done).result).toMatchObject({
      outcome: "failed",
      error: { code: "E_AGENT_TIMEOUT", details: { limit: "idle" } },
      segments: [{ text: "Let me think" }],
    });
    expect(turn.faults).toEqual([]);
  });

  test("every event is a sign of life, thought and progress too", async () => {
    let go = (): void => undefined;
    async function* slow(): AsyncGenerator<AgentEvent> {
      for (const event of [text("a"), { type: "reasoning", delta: "hm" }, { type: "alive" }, end]) {
        await new Promise<void>((resolve) => (go = resolve));
        yield event as AgentEvent;
      }
    }
    const turn = begin(slow, { idleMs: 10_000 });
    for (let events = 0; events < 4; events += 1) {
      expect(await turn.advance(9_000)).toBe(false);
      go();
    }
    expect((await turn.done).result.outcome).toBe("completed");
  });

  test("none is none", async () => {
    const turn = begin(() => saying([], never), { idleMs: 0 });
    expect(await turn.advance(86_400_000)).toBe(false);
    expect(turn.clock.pending).toBe(0);
  });
});

describe("a turn that is cut short", () => {
  test("says by whom, keeps what was said, and takes nothing more", async () => {
    const turn = begin((signal) =>
      (async function* () {
        yield text("Half");
        await until("the signal", () => signal.aborted);
        yield text("late");
        yield end;
      })(),
    );
    await turn.advance(0);
    turn.cut();
    const { result, abandoned } = await turn.done;
    expect(result).toMatchObject({ ...stopped, segments: [{ text: "Half" }], usage: null });
    expect(abandoned).toBe(false);
    expect(turn.shown).toEqual(["Half"]);
    expect(turn.clock.pending).toBe(0);
  });

  test("an agent that ignores the signal is left behind after the grace", async () => {
    const turn = begin(() => saying([text("Half")], never), { graceMs: 2_000 });
    await turn.advance(0);
    turn.cut();
    expect(await turn.advance(1_999)).toBe(false);
    expect(await turn.advance(1)).toBe(true);
    expect(await turn.done).toMatchObject({ abandoned: true, result: { outcome: "stopped" } });
  });

  test("an agent that hangs is stopped by the idle limit, then left behind", async () => {
    const turn = begin(() => saying([], never), { idleMs: 10_000, graceMs: 2_000 });
    expect(await turn.advance(10_000)).toBe(false);
    expect(await turn.advance(2_000)).toBe(true);
    expect(await turn.done).toMatchObject({
      abandoned: true,
      result: { outcome: "failed", error: { code: "E_AGENT_TIMEOUT" } },
    });
  });

  test("one that is cut before it began tells so too", async () => {
    const clock = manualClock();
    const agent = createPracticeRuntime({ clock }).createAgent(request);
    const ended = await runTurn(
      agent,
      request,
      AbortSignal.abort(stopped),
      { idleMs: 0, graceMs: 1 },
      clock,
      {
        onText: () => undefined,
        onTool: () => undefined,
        onFault: () => undefined,
      },
    );
    expect(ended).toMatchObject({ abandoned: false, result: stopped });
  });
});

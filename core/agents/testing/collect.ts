import type { Clock } from "../../clock.ts";
import { SignalboxError } from "../../contract/errors.ts";
import { asSessionId, asSessionKey, asTurnId } from "../../contract/ids.ts";
import type { Agent, AgentEvent, TurnRequest } from "../runtime.ts";

/** What a run told, and how it ended. */
export interface Told {
  events: AgentEvent[];
  /** All text deltas, joined. */
  text: string;
  error: SignalboxError | null;
}

/** A request with what a test leaves out filled in. */
export function turnRequest(part: Partial<TurnRequest> = {}): TurnRequest {
  return {
    turnId: asTurnId("0123456789abcdef0123456789abcdef"),
    key: asSessionKey("agent:main:local:dm:one"),
    sessionId: asSessionId("20260101_000000_00000000"),
    system: "",
    history: [],
    text: "hello there",
    ...part,
  };
}

/** Runs one turn to its end. Errors that are not ours are thrown on, so that no test takes them for typed ones. */
export async function collect(
  agent: Agent,
  request: Partial<TurnRequest> = {},
  signal: AbortSignal = new AbortController().signal,
  onEvent: (event: AgentEvent) => void = () => {},
): Promise<Told> {
  const events: AgentEvent[] = [];
  let error: SignalboxError | null = null;
  try {
    for await (const event of agent.run(turnRequest(request), signal)) {
      events.push(event);
      onEvent(event);
    }
  } catch (thrown) {
    if (!(thrown instanceof SignalboxError)) throw thrown;
    error = thrown;
  }
  const text = events.map((event) => (event.type === "text" ? event.delta : "")).join("");
  return { events, text, error };
}

/** A clock that moves only when told to. */
export interface HandClock extends Clock {
  /** Moves on and runs what is due, in order. */
  advance(ms: number): void;
  /** How many timers wait. */
  pending(): number;
}

export function handClock(startMs = 1_800_000_000_000): HandClock {
  let now = 0;
  let timers: { at: number; fn: () => void }[] = [];
  return {
    nowMs: () => startMs + now,
    monotonicMs: () => now,
    machine: () => ({ bootId: "hand", uptimeMs: now }),
    after(ms, fn) {
      const timer = { at: now + ms, fn };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
    advance(ms) {
      const until = now + ms;
      for (;;) {
        const due = timers.filter((timer) => timer.at <= until).toSorted((a, b) => a.at - b.at)[0];
        if (!due) break;
        timers = timers.filter((timer) => timer !== due);
        now = Math.max(now, due.at);
        due.fn();
      }
      now = until;
    },
    pending: () => timers.length,
  };
}

import type { Clock } from "../clock.ts";
import type { SessionKey, TurnId } from "../contract/ids.ts";
import type { ObligationStore } from "../delivery/obligation-store.ts";
import type { Bus } from "../live/bus.ts";
import type { NewNotice } from "../live/notice-store.ts";
import type { Log } from "../log/log.ts";
import type { SessionDirectory } from "../sessions/session-directory.ts";
import type { Database } from "../state/database.ts";
import type { InboxStore } from "./inbox-store.ts";
import { debtOf } from "./turn-finish.ts";
import type { StartedTurn } from "./turn-start.ts";

/** A running turn as the watchdog sees it. */
export interface Watched {
  turn: StartedTurn;
  /** The last sign of life of its agent, on the monotonic clock. */
  activeAtMs: number;
}

export interface WatchdogLimits {
  /** `agent.session_stall_timeout` in ms; 0 = off. */
  stallMs: number;
  /** `agent.gateway_timeout_warning` in ms; 0 = off. */
  warningMs: number;
  /** `agent.gateway_timeout` in ms; 0 = none: nothing is ever cut, so nothing is warned of. */
  timeoutMs: number;
}

export interface Silence {
  /** How long the agent has given no sign of life, in ms. */
  silentMs: number;
  /** Messages of people that wait behind it. */
  waiting: number;
  /** What was said of this silence already; one sign of life ends it, and the next is another one. */
  told: { stall: boolean; warning: boolean };
}

export type WatchdogStep = "stall" | "warn" | null;

/**
 * What is said of a silent turn now (lifecycle 17.3, 19). The warning outranks the stall: whoever looks late says the
 * graver thing only.
 */
export function decideStep(
  { silentMs, waiting, told }: Silence,
  limits: WatchdogLimits,
): WatchdogStep {
  const { stallMs, warningMs, timeoutMs } = limits;
  if (timeoutMs > 0 && warningMs > 0 && silentMs >= warningMs) return told.warning ? null : "warn";
  if (stallMs > 0 && silentMs >= stallMs && waiting > 0 && !told.stall && !told.warning)
    return "stall";
  return null;
}

/** Pause between two looks, in ms (lifecycle 17.3). */
export const watchEveryMs = 30_000;

export interface WatchdogDeps {
  db: Database;
  directory: SessionDirectory;
  inbox: InboxStore;
  obligations: ObligationStore;
  bus: Bus;
  clock: Clock;
  log: Log;
  limits(): WatchdogLimits;
  /** The turns that run now. */
  watched(): Watched[];
  readsTranscript(channelId: string): boolean;
  deliver(key: SessionKey): void;
  raise(notice: NewNotice): void;
}

const minutes = (ms: number): string =>
  ms < 60_000 ? `${Math.round(ms / 1000)} s` : `${Math.round(ms / 60_000)} min`;

/**
 * Watches turns by their lack of progress. It tells; what cuts a turn at `agent.gateway_timeout` is the run itself, which
 * then walks away from an agent that does not end. That the lane works again is said only once its next turn has started.
 */
export function createWatchdog(deps: WatchdogDeps) {
  const { db, directory, inbox, clock, log } = deps;
  const told = new Map<TurnId, Silence["told"] & { activeAtMs: number }>();
  const freed = new Map<SessionKey, { replaced: boolean }>(); // hung turns that ended; the lane has not gone on yet
  let cancel: (() => void) | null = null;

  /** A bar in the turn's transcript. Part of the caller's transaction. */
  function bar(turn: Pick<StartedTurn, "sessionId">, text: string): void {
    directory.maker.mark(turn.sessionId, "watchdog", text, clock.nowMs());
  }

  /** The line stands in the transcript and is owed to the chat; one silence is told apart from the next by when it began. */
  async function say(step: "stall" | "warn", seen: Watched, silentMs: number): Promise<void> {
    const { turn } = seen;
    const waiting = inbox.depth(turn.key).human;
    const { timeoutMs } = deps.limits();
    const since = `The agent has given no sign of life for ${minutes(silentMs)}`;
    const queued =
      waiting === 0 ? "" : ` ${waiting} message${waiting === 1 ? " waits" : "s wait"}.`;
    const left = minutes(Math.max(0, timeoutMs - silentMs));
    const line =
      step === "warn" ? `${since}; in ${left} it is cut off.${queued}` : `${since}.${queued}`;
    const advice = " /stop ends this turn, /new starts afresh.";
    await db.write(() => {
      bar(turn, line);
      if (turn.message.internal === true || deps.readsTranscript(turn.message.channelId)) return;
      const debt = debtOf(turn, `${line}${advice}`, "notice", null);
      deps.obligations.owe(
        { ...debt, ref: `watch:${turn.turnId}:${seen.activeAtMs}` },
        clock.nowMs(),
      );
    });
    log.warn(`turn.${step === "warn" ? "about_to_be_cut" : "stalled"}`, {
      sessionKey: turn.key,
      silentMs: Math.round(silentMs),
      waiting,
    });
    deps.bus.emit("messages.changed", { key: turn.key });
    deps.deliver(turn.key);
  }

  async function look(): Promise<void> {
    const limits = deps.limits();
    const running = deps.watched();
    const ids = new Set(running.map(({ turn }) => turn.turnId));
    for (const id of told.keys()) if (!ids.has(id)) told.delete(id);
    for (const seen of running) {
      const { turnId, key } = seen.turn;
      const silentMs = clock.monotonicMs() - seen.activeAtMs;
      const known = told.get(turnId);
      const fresh =
        known?.activeAtMs === seen.activeAtMs ? known : { stall: false, warning: false };
      const step = decideStep({ silentMs, waiting: inbox.depth(key).human, told: fresh }, limits);
      if (step === null) continue;
      try {
        await say(step, seen, silentMs);
        told.set(turnId, {
          stall: true,
          warning: step === "warn" || fresh.warning,
          activeAtMs: seen.activeAtMs,
        });
      } catch (cause) {
        log.error("watchdog.unsaid", { sessionKey: key }, cause); // said at the next look
      }
    }
  }

  function schedule(): void {
    cancel = clock.after(watchEveryMs, () => {
      void look().finally(() => {
        if (cancel !== null) schedule();
      });
    });
  }

  return {
    start(): void {
      if (cancel === null) schedule();
    },
    stop(): void {
      cancel?.();
      cancel = null;
    },
    /** One look now; the timer does the same. */
    look,
    /** A turn was cut for its silence, in the transaction of its end. `replaced`: its agent did not end either. */
    onCut(turn: StartedTurn, replaced: boolean): void {
      if (replaced) bar(turn, "The agent did not end when it was told to: it is replaced.");
      freed.set(turn.key, { replaced });
    },
    /** The lane's next turn has started: only now it is known to work again. Part of the start's transaction. */
    onStarted(turn: StartedTurn): void {
      const cut = freed.get(turn.key);
      if (!cut) return;
      freed.delete(turn.key);
      bar(
        turn,
        cut.replaced
          ? "The next message has started, with a new agent."
          : "The next message has started.",
      );
      log.info("turn.recovered", { sessionKey: turn.key, replaced: cut.replaced });
      if (cut.replaced)
        deps.raise({
          kind: "info",
          title: "A hung agent was replaced",
          body: "Its conversation goes on with the next message.",
          link: `/sessions/${encodeURIComponent(turn.key)}`,
          group: `watchdog:${turn.key}`,
        });
    },
  };
}

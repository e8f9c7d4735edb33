import type { InboundMessage } from "../channels/channel.ts";
import type { Clock } from "../clock.ts";
import type { SessionKey } from "../contract/ids.ts";
import type { Log } from "../log/log.ts";
import type { BusyMode } from "../sessions/lane-setting-store.ts";
import type { Database } from "../state/database.ts";
import { decodeInbound } from "./inbound-json.ts";
import type { InboxStore } from "./inbox-store.ts";
import type { Lanes } from "./lanes.ts";

/** Settings that name a busy mode, from the nearest to the farthest (lifecycle 12.3, 19). */
export interface BusySettings {
  readonly lane: BusyMode | null;
  /** `display.busy_text_mode`: an older name that overrides what is said below. */
  readonly legacyText: BusyMode | null;
  readonly platform: BusyMode | null;
  readonly display: BusyMode;
}

export const busyModeOf = (settings: BusySettings): BusyMode =>
  settings.lane ?? settings.legacyText ?? settings.platform ?? settings.display;

export interface BusyInputDeps {
  db: Database;
  inbox: InboxStore;
  lanes: Lanes;
  clock: Clock;
  log: Log;
  mode(key: SessionKey, message: InboundMessage): BusyMode;
  isCompressing(key: SessionKey): boolean;
  /** Null where turns may start. */
  paused(): { reason: string | null } | null;
  shownText(message: InboundMessage): string;
  /** Whether a person sees the queue anyway, so that no word is needed. */
  seesQueue(channelId: string): boolean;
}

/** An acknowledgement is given at most this often in a lane, in ms (lifecycle 12.3). */
export const acknowledgeEveryMs = 30_000;

export type BusyInput = ReturnType<typeof createBusyInput>;

/** What a person's message does to a lane that is busy (lifecycle 12.3). The message is on disk already. */
export function createBusyInput(deps: BusyInputDeps) {
  const { inbox, lanes, clock } = deps;
  const told = new Map<SessionKey, number>();

  /** The line, unless the lane had one less than 30 s ago. */
  function acknowledge(key: SessionKey, message: InboundMessage, line: string): string | null {
    if (deps.seesQueue(message.channelId)) return null;
    const nowMs = clock.monotonicMs();
    const last = told.get(key);
    if (last !== undefined && nowMs - last < acknowledgeEveryMs) return null;
    if (told.size > 1_000)
      for (const [lane, atMs] of told) if (nowMs - atMs >= acknowledgeEveryMs) told.delete(lane);
    told.set(key, nowMs);
    return line;
  }

  const queued = (key: SessionKey): string => {
    const { depth } = inbox.depth(key);
    return depth > 1 ? `Queued: ${depth} wait now.` : "Queued: it is next.";
  };

  /** Hands a waiting message to the running turn; what it is not taken up by, the next turn answers. */
  async function steer(key: SessionKey, inputId: number): Promise<boolean> {
    const input = await deps.db.write(() => {
      inbox.neverMerge(inputId); // what is handed over must be all of it
      return inbox.get(inputId);
    });
    if (input?.state !== "accepted") return false;
    return lanes.steer(key, { inputId, text: deps.shownText(decodeInbound(input.eventJson)) });
  }

  return {
    steer,
    /**
     * Called for every message of a person once it is on disk. Never throws.
     * @returns the acknowledgement, or null.
     */
    async onMessage(
      key: SessionKey,
      message: InboundMessage,
      inputId: number,
    ): Promise<string | null> {
      const paused = deps.paused();
      if (paused) {
        const why = paused.reason === null ? "" : ` (${paused.reason})`;
        return acknowledge(
          key,
          message,
          `New turns are paused${why}. Your message is kept and will be answered.`,
        );
      }
      if (deps.isCompressing(key))
        return acknowledge(key, message, `The conversation is being compressed. ${queued(key)}`);
      if (!lanes.running(key)) return null;
      // A turn that the gateway waits for before it stops is not cut: what would follow it starts only after the restart.
      if (lanes.whyClosed(key) !== null)
        return acknowledge(
          key,
          message,
          "The gateway is stopping. Your message is kept and will be answered when it is back.",
        );
      switch (deps.mode(key, message)) {
        case "interrupt":
          void lanes.cut(key, {
            outcome: "stopped",
            because: "Stopped by the next message.",
            tell: false,
          });
          return acknowledge(key, message, "Interrupted: your message is next.");
        case "queue":
          return acknowledge(key, message, queued(key));
        case "steer":
          try {
            const taken = await steer(key, inputId);
            return acknowledge(
              key,
              message,
              taken ? "It goes to the running turn after its next tool call." : queued(key),
            );
          } catch (cause) {
            deps.log.error("steer.failed", { sessionKey: key }, cause); // it waits, as any message
            return null;
          }
      }
    },
    /** A boundary: the lane's next acknowledgement is due at once. */
    forget(key: SessionKey): void {
      told.delete(key);
    },
  };
}

import type { InboundMessage } from "../channels/channel.ts";
import { SignalboxError } from "../contract/errors.ts";
import type { SessionId, SessionKey } from "../contract/ids.ts";
import type { RoutingRow } from "../sessions/routing-store.ts";
import { originOf } from "../sessions/routing-store.ts";
import { lastHumanMessage, rewindTarget } from "../transcripts/human-turns.ts";
import type { LiveMessage } from "../transcripts/message-store.ts";
import type { ActDeps, ActKit } from "./act-kit.ts";
import { enqueueInside } from "./enqueue.ts";
import { decodeInbound } from "./inbound-json.ts";

export interface TranscriptActDeps extends ActDeps {
  kit: ActKit;
}

export interface Undone {
  turns: number;
  rows: number;
  /** What the oldest undone turn said; `""` where nothing was undone. */
  text: string;
  /** Takes it back again; null where nothing was undone. */
  edit: number | null;
  row: RoutingRow;
}

export type TranscriptActs = ReturnType<typeof createTranscriptActs>;

/** Acts on a lane's conversation as a whole (lifecycle 18). None runs in the middle of a turn: E_BUSY. */
export function createTranscriptActs(deps: TranscriptActDeps) {
  const { directory, inbox, guard, bus, kit } = deps;
  const { routing, messages } = directory;

  /** Whose words a row holds, so that they can be said again: the message that was accepted, else the caller. */
  function speakerOf(key: SessionKey, said: LiveMessage, caller: InboundMessage | null) {
    const input = said.turnId === null ? undefined : inbox.ofTurn(said.turnId);
    if (input) return decodeInbound(input.eventJson);
    if (caller && (said.senderName === null || said.senderName === caller.source.userName))
      return caller;
    const row = kit.rowOf(key);
    const origin = originOf(row);
    if (origin && (said.senderName === null || said.senderName === origin.userName))
      return { channelId: row.channelId, source: origin, messageId: null };
    throw new SignalboxError(
      "E_CONFLICT",
      "The last message was somebody else's, and it is not known any more who that was: it cannot be sent again.",
    );
  }

  return {
    /** `/undo` (lifecycle 3.8): the last turns of people, with all that followed. Fewer turns than asked for: all of them. */
    undo: (key: SessionKey, actor: string, count: number): Promise<Undone> =>
      guard.withTranscript(key, async (id) => {
        let undone: Omit<Undone, "row"> = { turns: 0, rows: 0, text: "", edit: null };
        const by = { actor, act: "undo", summary: "The last turns were taken out." };
        const { row } = await kit.change(key, by, (nowMs) => {
          directory.follow(key);
          const target = rewindTarget(messages.live(id), count);
          if (!target) return false;
          const done = directory.rewind(key, { kind: "rewind", by: actor, ...target }, nowMs);
          if (!done) return undefined;
          undone = { turns: target.turns, rows: done.rows, text: target.text, edit: done.edit };
          return true;
        });
        if (undone.edit !== null) kit.transcriptChanged(key);
        return { ...undone, row };
      }),

    /** Takes an undo back. @throws {SignalboxError} E_NOT_FOUND, E_CONFLICT where the conversation went on. */
    restore: (key: SessionKey, actor: string, edit: number) =>
      guard.withTranscript(key, async () => {
        let rows = 0;
        const by = { actor, act: "restore", summary: "Undone turns were put back." };
        const { row } = await kit.change(key, by, (nowMs) => {
          rows = directory.restore(key, edit, nowMs).rows;
          return true;
        });
        kit.transcriptChanged(key);
        return { rows, row };
      }),

    /**
     * `/retry` (lifecycle 18): the last message of a person is taken out and sent again, in one step.
     * @throws {SignalboxError} E_CONFLICT where there is none, or it cannot be sent again as it was.
     */
    retry: (key: SessionKey, actor: string, caller: InboundMessage | null) =>
      guard.withTranscript(key, async (id) => {
        let text = "";
        const by = { actor, act: "retry", summary: "The last message was sent again." };
        const { row } = await kit.change(key, by, (nowMs) => {
          directory.follow(key);
          const found = lastHumanMessage(messages.live(id));
          if (!found)
            throw new SignalboxError("E_CONFLICT", "There is no message to try again.", { key });
          if (found.text.trim() === "")
            throw new SignalboxError(
              "E_CONFLICT",
              "The last message has no text, so it cannot be sent again as it was.",
              { key },
            );
          const { channelId, source, messageId } = speakerOf(key, found.first, caller);
          text = found.text;
          const rewound = { kind: "retry" as const, by: actor, turns: 1, firstId: found.first.id };
          if (!directory.rewind(key, { ...rewound, text }, nowMs)) return undefined;
          const again = { channelId, source, text, messageId: null, replyTo: messageId };
          enqueueInside({ inbox, routing }, key, again, "queue", nowMs);
          return true;
        });
        kit.transcriptChanged(key);
        return { text, row };
      }),

    /** `/resume` (lifecycle 3.5): the lane goes on in another session. `changed` is false where it is in it already. */
    switchTo: (key: SessionKey, actor: string, target: SessionId) =>
      guard.whenIdle(key, async () => {
        const from = kit.rowOf(key).sessionId;
        const by = { actor, act: "resume", summary: `The lane went on in ${target}.` };
        const done = await kit.change(key, by, (nowMs) => {
          const crossed = directory.switchTo(key, target, actor, nowMs);
          return crossed?.changed;
        });
        if (done.changed) {
          bus.emit("session.finalized", { key, from, to: target });
          bus.emit("session.ended", { key, sessionId: from, because: "resume" });
          bus.emit("session.begun", { key, sessionId: target, because: "resume" });
          kit.transcriptChanged(key);
        }
        return done;
      }),

    /** `/branch` (lifecycle 18): the conversation is copied, and the lane goes on in the copy. */
    branch: (key: SessionKey, actor: string, title: string | null) =>
      guard.withTranscript(key, async (from) => {
        let titleTaken = false;
        const by = { actor, act: "branch", summary: "The conversation was branched." };
        const { row } = await kit.change(key, by, (nowMs) => {
          directory.follow(key);
          const crossed = directory.branch(key, title, actor, nowMs);
          if (!crossed) return undefined;
          ({ titleTaken } = crossed);
          return true;
        });
        bus.emit("session.finalized", { key, from, to: row.sessionId });
        bus.emit("session.ended", { key, sessionId: from, because: "branch" });
        bus.emit("session.begun", { key, sessionId: row.sessionId, because: "branch" });
        kit.transcriptChanged(key);
        return { row, from, titleTaken };
      }),
  };
}

import { randomBytes } from "node:crypto";
import type { InboundMessage } from "../channels/channel.ts";
import type { Clock } from "../clock.ts";
import { SignalboxError } from "../contract/errors.ts";
import { asSessionKey } from "../contract/ids.ts";
import type { SessionKey } from "../contract/ids.ts";
import { isSilence } from "../delivery/silence.ts";
import type { Journal } from "../journal/journal.ts";
import type { Chain } from "../journal/relay.ts";
import { originOf } from "../sessions/routing-store.ts";
import type { SessionDirectory } from "../sessions/session-directory.ts";
import type { Database } from "../state/database.ts";
import { enqueueInside } from "../turns/enqueue.ts";
import type { InboxStore } from "../turns/inbox-store.ts";
import type { Lanes } from "../turns/lanes.ts";
import { replyText } from "../turns/turn-result.ts";
import type { TurnResult } from "../turns/turn-result.ts";
import type { StartedTurn } from "../turns/turn-start.ts";
import type { SendStore, SessionSend } from "./send-store.ts";

/** How a receiving turn ended, as the sender's tool call is told. */
export type SendAnswer =
  | { kind: "reply"; text: string }
  | { kind: "no_reply" }
  | { kind: "failed"; error: string }
  /** Not yet: the wait ran out, or nobody waits. The answer is announced when it comes. */
  | { kind: "pending" };

export interface SendRequest {
  from: string;
  to: SessionKey;
  text: string;
  /** 0: nobody waits. */
  waitMs: number;
  steer: boolean;
}

export interface SessionSendDeps {
  db: Database;
  directory: SessionDirectory;
  inbox: InboxStore;
  sends: SendStore;
  journal: Journal;
  clock: Clock;
  lanes(): Pick<Lanes, "wake" | "running" | "steer" | "isBusy">;
}

/** Texts with which an agent ends an exchange without a word. */
const skips = new Set(["REPLY_SKIP", "ANNOUNCE_SKIP"]);
const isSkipped = (text: string): boolean =>
  text === "" || skips.has(text.trim()) || isSilence(text);

export interface Sent {
  runId: string;
  disposition: "queued" | "steered";
  answer: Promise<SendAnswer>;
}

export type SessionSends = ReturnType<typeof createSessionSends>;

/** Messages between sessions and their answers (state-awareness 10.4): an answer reaches its sender once, in the call or later. */
export function createSessionSends(deps: SessionSendDeps) {
  const { db, directory, inbox, sends, journal, clock } = deps;
  const { routing } = directory;
  const waiters = new Map<string, (answer: SendAnswer) => void>();
  /** Answers whose sender has not read them yet. */
  const answers = new Map<string, SendAnswer>();
  /** Who waits for whom now: a wait that would close a ring is not begun. */
  const waitsOn = new Map<string, string>();

  function closesRing(from: string, to: string): boolean {
    const seen = new Set<string>();
    for (let at: string | undefined = to; at !== undefined && !seen.has(at);) {
      if (at === from) return true;
      seen.add(at);
      at = waitsOn.get(at);
    }
    return false;
  }

  const messageTo = (request: SendRequest, chain: Chain): InboundMessage => {
    const row = routing.get(request.to);
    const source = row ? originOf(row) : null;
    if (!row || !source)
      throw new SignalboxError("E_NOT_FOUND", `Unknown sessionKey: ${request.to}`, {
        key: request.to,
      });
    return {
      channelId: row.channelId,
      source,
      text: request.text,
      messageId: null,
      internal: true,
      provenance: { kind: "inter_session", from: asSessionKey(request.from), chain },
    };
  };

  /** Tells the sender of an answer that nobody waited for any more. Part of the caller's transaction. */
  function announce(send: SessionSend, text: string, nowMs: number): void {
    const row = routing.get(asSessionKey(send.fromKey));
    const source = row ? originOf(row) : null;
    const told = `Session "${send.toKey}" answered your message (run ${send.runId}):\n\n${text}`;
    if (!row || !source) return;
    if (send.fromSessionId === null) {
      journal.enqueue(send.fromKey, told, `send:${send.runId}`, nowMs);
      return;
    }
    const message: InboundMessage = {
      channelId: row.channelId,
      source,
      text: told,
      messageId: null,
      internal: true,
      pinned: { sessionId: send.fromSessionId, delegationId: send.runId },
      provenance: {
        kind: "result",
        from: asSessionKey(send.toKey),
        chain: { id: send.chainId, hops: send.chainHops },
      },
    };
    enqueueInside({ inbox, routing }, row.sessionKey, message, "internal", nowMs);
  }

  function answerOf(result: TurnResult): SendAnswer {
    const text = replyText(result.segments);
    if (result.outcome !== "completed" && result.outcome !== "interrupted")
      return {
        kind: "failed",
        error: result.error?.message ?? result.because ?? "The turn was stopped.",
      };
    return isSkipped(text) ? { kind: "no_reply" } : { kind: "reply", text };
  }

  async function wait(runId: string, request: SendRequest): Promise<SendAnswer> {
    let cancel = (): void => undefined;
    waitsOn.set(request.from, request.to);
    try {
      const answer = await new Promise<SendAnswer>((resolve) => {
        waiters.set(runId, resolve);
        cancel = clock.after(request.waitMs, () => {
          resolve({ kind: "pending" });
        });
      });
      if (answer.kind !== "pending") return answer;
      const late = await db.write(() => sends.leave(runId));
      // It came while the wait was being ended: then it is here already.
      return late ? answer : (answers.get(runId) ?? answer);
    } finally {
      cancel();
      waiters.delete(runId);
      answers.delete(runId);
      if (waitsOn.get(request.from) === request.to) waitsOn.delete(request.from);
    }
  }

  return {
    /**
     * Puts a message into a session and waits for the answer to it, where asked to.
     * @param claim Asks for one more relay; part of the acceptance's transaction. Refused: nothing is sent.
     * @param inside More that belongs to the acceptance, once the message is in.
     * @throws {SignalboxError} E_NOT_FOUND, E_STORE_FULL …: nothing was sent.
     */
    async send(
      request: SendRequest,
      claim: (nowMs: number) => { ok: true; chain: Chain } | { ok: false; error: string },
      inside: (nowMs: number) => void,
    ): Promise<Sent | { refused: string }> {
      const runId = randomBytes(12).toString("hex");
      const waits = request.waitMs > 0 && !closesRing(request.from, request.to);
      const sent = await db.write((): { refused: string } | { inputSeq: number } => {
        const nowMs = clock.nowMs();
        const claimed = claim(nowMs);
        if (!claimed.ok) return { refused: claimed.error };
        const { chain } = claimed;
        const message = messageTo(request, chain);
        const inputSeq = enqueueInside({ inbox, routing }, request.to, message, "internal", nowMs);
        const lane = routing.get(asSessionKey(request.from));
        sends.insert({
          runId,
          fromKey: request.from,
          fromSessionId: lane && lane.channelId !== "mcp" ? lane.sessionId : null,
          toKey: request.to,
          inputSeq,
          state: waits ? "waiting" : "announce",
          chainId: chain.id,
          chainHops: chain.hops,
          createdAt: nowMs,
        });
        inside(nowMs);
        return { inputSeq };
      });
      if ("refused" in sent) return sent;
      const lanes = deps.lanes();
      const steered =
        request.steer && lanes.steer(request.to, { inputId: sent.inputSeq, text: request.text });
      const answer: Promise<SendAnswer> = waits
        ? wait(runId, request)
        : Promise.resolve({ kind: "pending" });
      lanes.wake(request.to);
      return { runId, disposition: steered ? "steered" : "queued", answer };
    },

    /** Part of the start's transaction. */
    turnStarted(turn: StartedTurn): void {
      const send =
        sends.byInput(turn.input.seq) ??
        (turn.message.resume ? sends.byTurn(turn.message.resume.turnId) : undefined);
      if (send) sends.setTurn(send.runId, turn.turnId);
    },
    /** Part of the end's transaction. @returns what to tell those who wait, once it is committed. */
    turnEnding(turn: StartedTurn, result: TurnResult, nowMs: number): () => void {
      if (result.outcome === "parked") return () => undefined;
      const steered = result.segments.flatMap((segment) =>
        segment.kind === "steer" ? (sends.byInput(segment.inputId) ?? []) : [],
      );
      const own = sends.byTurn(turn.turnId);
      const answered = [...(own ? [own] : []), ...steered];
      const answer = answerOf(result);
      for (const send of answered) {
        sends.end(send.runId, nowMs);
        if (waiters.has(send.runId)) answers.set(send.runId, answer);
        if (send.state === "announce" && answer.kind === "reply")
          announce(send, answer.text, nowMs);
      }
      return () => {
        for (const send of answered) {
          waiters.get(send.runId)?.(answer);
          if (send.state === "announce") deps.lanes().wake(asSessionKey(send.fromKey));
        }
      };
    },
    settleBoot: (): Promise<void> =>
      db.write(() => {
        sends.leaveAll();
      }),
    forget(beforeMs: number): void {
      sends.forget(beforeMs);
    },
  };
}

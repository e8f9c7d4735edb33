import type { Clock } from "../clock.ts";
import type { SessionKey } from "../contract/ids.ts";
import type { Log } from "../log/log.ts";
import type { SessionSource } from "../sessions/session-source.ts";

/** Of messages that no person wrote (state-awareness 3.2): set by our own machinery only. */
export interface Provenance {
  /** `inter_session`: another session's agent. `wake`: only to be told what waits. `result`: of a child run or a late reply. */
  kind: "inter_session" | "wake" | "result";
  from: SessionKey | null;
  /** The chain of agent-made messages that it belongs to; null: it begins one. */
  chain: { id: string; hops: number } | null;
}

/** One event of a platform, in our words. What the inbox stores is exactly this. */
export interface InboundMessage {
  /** The channel that carried it and will carry the reply. */
  channelId: string;
  source: SessionSource;
  text: string;
  /** The platform's own id, unique per chat; accepted once. Null where the platform has none. */
  messageId: string | null;
  /** Set by our own machinery only (wakes, resumes): never from a platform. */
  internal?: boolean;
  /** The platform message that a reply is anchored to, where it is not this one. */
  replyTo?: string | null;
  /** A result of a run beside the conversation: it goes to this session or nowhere (lifecycle 13.3). */
  pinned?: { sessionId: string; delegationId: string };
  provenance?: Provenance;
  /** Takes up an interrupted turn (lifecycle 10.5); its text is empty. */
  resume?: { turnId: string; reason: string };
  /** False where nobody waits for an answer, so that a silence marker is honoured (lifecycle 12.6). */
  expectsReply?: boolean;
}

export type Acceptance =
  /** On disk and in the lane; `reply` is a command's answer, or a word that a busy lane has for the sender. */
  | { kind: "accepted"; key: SessionKey; inputId: number; reply: string | null }
  /** This platform message was accepted before; nothing happens again. */
  | { kind: "duplicate"; key: SessionKey; inputId: number };

/** A reply that is owed to a chat. */
export interface OutboundMessage {
  obligationId: string;
  key: SessionKey;
  target: SessionSource;
  /** The text to send, label of a recovered reply included. Of a reply in parts, one part. */
  text: string;
  /** `notice`: the gateway itself tells the person something. */
  kind: "reply" | "notice";
  /** The platform message that it answers, where there is one. */
  replyTo: string | null;
  /** The same for every attempt at this obligation (and part). */
  idempotencyKey: string;
  recovered: boolean;
  /** Of a reply in parts: which one this is, and of how many; from 1. */
  part: { number: number; of: number };
}

export type SendOutcome =
  | { kind: "delivered"; remoteId: string | null }
  /** Certainly not delivered. `retryable` with the platform's own wait, where it names one. */
  | { kind: "rejected"; retryable: boolean; code: string; reason: string; retryAfterMs?: number }
  /** The request left and no answer came: it may have arrived. Never repeated by the channel itself. */
  | { kind: "unknown"; reason: string };

export interface ChannelCapabilities {
  /** The platform drops a second send with the same key, so an unknown outcome may simply be repeated. */
  idempotentSend: boolean;
  /** A person reads the transcript itself: a committed reply is a delivered one. */
  transcriptIsDelivery: boolean;
}

export interface ChannelContext {
  clock: Clock;
  log: Log;
  /**
   * Stores the message durably and queues its turn. Confirm to the platform only after it resolves.
   * @throws {SignalboxError} E_QUEUE_FULL, E_STORE_FULL, E_DRAINING, E_KEY_COLLISION: nothing was kept, tell the sender.
   */
  accept(message: InboundMessage): Promise<Acceptance>;
  /** Tells the panel how the channel is. `error` in words a person understands. */
  report(state: "up" | "starting" | "down", error?: { code: string; message: string }): void;
}

export interface Channel {
  readonly id: string;
  readonly kind: string;
  /** The account it is signed in as, or null. */
  readonly account: string | null;
  /** Where to reach it over HTTP, or null. */
  readonly address: string | null;
  readonly capabilities: ChannelCapabilities;
  /** Resolves once the channel can send; later trouble is told through `report`. */
  start(context: ChannelContext): Promise<void>;
  stop(): Promise<void>;
  /** The pieces in which the platform takes a text of this length; absent: always one. Joined they are the text. */
  split?(text: string): string[];
  /** One attempt, no retries inside; never sleeps through a rate limit. Does not throw: the outcome says it. */
  send(message: OutboundMessage, signal: AbortSignal): Promise<SendOutcome>;
}

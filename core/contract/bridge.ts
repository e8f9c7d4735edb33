import type { ImportStatus } from "./calls-data.ts";
import type { ChildRun, JournalEvent, WatchNotice } from "./calls-journal.ts";
import type { CallInput, CallName, CallOutput } from "./calls.ts";
import type {
  AgentRow,
  ChannelRow,
  GatewayStatus,
  LogLine,
  MessageRow,
  Notice,
  SessionRow,
} from "./domain.ts";
import type { WireError } from "./errors.ts";
import type { SessionId, SessionKey, TurnId } from "./ids.ts";

export type Reply<T> = { ok: true; value: T } | { ok: false; error: WireError };

/** Everything a host may push, unasked. Batched to one a view per 100 ms; ends and failures skip the batch. */
export interface Pushes {
  "gateway.status": GatewayStatus;
  "sessions.delta": {
    upserts: SessionRow[];
    removed: SessionKey[];
    counts: { all: number; needsMe: number; running: number; suspended: number };
  };
  /** Rows added to the transcript of a watched lane. */
  "transcript.append": { key: SessionKey; sessionId: SessionId; messages: MessageRow[] };
  /** Rows of a watched lane changed in place (delivery state, rewind): read the page again. */
  "transcript.changed": { key: SessionKey };
  /** Text of the running turn of a watched lane, whole so far where `from` is 0, else to be added at `from` (UTF-16 units). */
  "turn.text": { key: SessionKey; turnId: TurnId; from: number; text: string; tool: string | null };
  "turn.end": {
    key: SessionKey;
    turnId: TurnId;
    outcome: "completed" | "failed" | "stopped" | "interrupted" | "silent";
  };
  "channels.changed": { channels: ChannelRow[] };
  "agents.changed": { agents: AgentRow[] };
  "notice.raised": { notice: Notice; unseen: number };
  "logs.append": { lines: LogLine[] };
  /** An undo that was still open is no longer possible, and why. */
  "undo.withdrawn": { key: SessionKey; reason: string };
  /** How far an import is; at most four times a second, and at its end. */
  "import.progress": ImportStatus;
  /** Signal events, ascending; `missed` older ones of the batch were left out: read the list. */
  "journal.append": { events: JournalEvent[]; missed: number; head: number };
  /** A watcher's notice, one push a pair and batch: the toast of the pair, or its end. */
  "watch.notice": WatchNotice;
  "child.changed": ChildRun;
  /** Settings changed, by whomever: read them again. */
  "config.changed": { path: string };
}
export type PushName = keyof Pushes;

/** One push on the wire. `seq` counts from 1 per connection; a gap means: pull fresh data. */
export interface PushFrame<P extends PushName = PushName> {
  seq: number;
  bootId: string;
  name: P;
  payload: Pushes[P];
}

export type LinkState = "connecting" | "up" | "lost";

/** What both hosts give the page, and what the tests' fake implements. */
export interface Bridge {
  call<N extends CallName>(name: N, input: CallInput<N>): Promise<Reply<CallOutput<N>>>;
  on<P extends PushName>(name: P, listener: (payload: Pushes[P]) => void): () => void;
  /** `"gap"` fires when a push was missed or the gateway restarted: every view pulls a snapshot. */
  onLink(listener: (state: LinkState | "gap") => void): () => void;
}

import type { AgentRow, ChannelRow, LogLine, Notice } from "../contract/domain.ts";
import type { ImportStatus } from "../contract/calls-data.ts";
import type { Pushes } from "../contract/bridge.ts";
import type { SessionId, SessionKey } from "../contract/ids.ts";
import type { RecordedEvent } from "../journal/kinds.ts";
import type { NoticeChange } from "../journal/publisher.ts";

export type BoundaryCause = "reset" | "resume" | "branch";

/** What happened inside, after it was committed. The panel lives on these; nothing of the gateway's own logic does. */
export interface DomainEvents {
  "session.changed": {
    key: SessionKey;
    /** Ends, failures and what needs a person are not held for the batch. */ urgent: boolean;
  };
  "session.removed": { key: SessionKey };
  /** A boundary's hooks, in this order (lifecycle 6.1): the old session is complete, over, replaced; the new one is there. */
  "session.finalized": { key: SessionKey; from: SessionId; to: SessionId };
  "session.ended": { key: SessionKey; sessionId: SessionId; because: BoundaryCause };
  "session.reset": { key: SessionKey; from: SessionId; to: SessionId };
  "session.begun": { key: SessionKey; sessionId: SessionId; because: BoundaryCause };
  /** A question that waited for a person has its answer (lifecycle 12.3, 18). */
  "approval.answered": { id: string; key: SessionKey; answer: "once" | "always" | "deny" };
  "messages.appended": { key: SessionKey; ids: number[] };
  "messages.changed": { key: SessionKey };
  "turn.text": Pushes["turn.text"];
  "turn.end": Pushes["turn.end"];
  "undo.withdrawn": Pushes["undo.withdrawn"];
  "channels.changed": { channels: ChannelRow[] };
  "agents.changed": { agents: AgentRow[] };
  "notice.raised": { notice: Notice; unseen: number };
  "logs.line": LogLine;
  "config.changed": { path: string };
  "import.progress": ImportStatus;
  "journal.appended": { events: RecordedEvent[]; missed: number };
  /** A watcher's notice opened, folded or ended. */
  "watch.changed": NoticeChange;
  "child.changed": { runId: string };
  "status.changed": Record<string, never>;
}

export interface Bus {
  emit<N extends keyof DomainEvents>(name: N, event: DomainEvents[N]): void;
  on<N extends keyof DomainEvents>(name: N, listener: (event: DomainEvents[N]) => void): () => void;
}

/** Synchronous fan-out. A listener that throws never stops the emitter; `onError` is told. */
export function createBus(onError: (name: string, cause: unknown) => void): Bus {
  const listeners = new Map<string, Set<(event: never) => void>>();
  return {
    emit(name, event) {
      for (const listener of listeners.get(name) ?? []) {
        try {
          (listener as (given: typeof event) => void)(event);
        } catch (cause) {
          onError(name, cause);
        }
      }
    },
    on(name, listener) {
      const set = listeners.get(name) ?? new Set();
      listeners.set(name, set);
      set.add(listener);
      return () => {
        set.delete(listener);
      };
    },
  };
}

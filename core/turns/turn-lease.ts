import type { Clock } from "../clock.ts";
import { SignalboxError } from "../contract/errors.ts";
import type { SessionId } from "../contract/ids.ts";

/** The right to run in an incarnation, and to change its transcript as a whole. */
export interface TurnLease {
  /** Compression goes on in another incarnation: the lease covers that one too. It is new, so nobody can hold it. */
  follow(id: SessionId): void;
  /** Harmless when called again. */
  release(): void;
}

export type TurnLeases = ReturnType<typeof createTurnLeases>;

interface Waiter {
  take(): void;
}

/**
 * One turn at a time in each incarnation (lifecycle 8.4): after a `/resume` from another chat, two lanes are in one
 * session. Who waits is served in the order of arrival, and is turned away after `waitMs`; nobody ever runs unserialised.
 *
 * The data directory belongs to one process, so a table of leases across processes is not needed.
 */
export function createTurnLeases(clock: Clock, waitMs: () => number) {
  const held = new Map<SessionId, Waiter[]>();

  function pass(id: SessionId): void {
    const next = held.get(id)?.shift();
    if (next) next.take();
    else held.delete(id);
  }

  function lease(first: SessionId): TurnLease {
    let ids: SessionId[] = [first];
    return {
      follow(id) {
        if (ids.length === 0 || held.has(id)) return;
        held.set(id, []);
        ids.push(id);
      },
      release() {
        const released = ids;
        ids = [];
        for (const id of released) pass(id);
      },
    };
  }

  return {
    /** The lease if nobody has it, else null. */
    tryAcquire(id: SessionId): TurnLease | null {
      if (held.has(id)) return null;
      held.set(id, []);
      return lease(id);
    },
    /** @throws {SignalboxError} E_BUSY after the longest wait (`agent.gateway_turn_lease_timeout`; 0 = at once). */
    acquire(id: SessionId): Promise<TurnLease> {
      const waiting = held.get(id);
      if (!waiting) {
        held.set(id, []);
        return Promise.resolve(lease(id));
      }
      return new Promise((resolve, reject) => {
        const waiter: Waiter = {
          take() {
            cancel();
            resolve(lease(id));
          },
        };
        const cancel = clock.after(waitMs(), () => {
          waiting.splice(waiting.indexOf(waiter), 1);
          reject(
            new SignalboxError(
              "E_BUSY",
              "Another chat was busy in this conversation for too long. Please send your message again.",
              { sessionId: id },
            ),
          );
        });
        waiting.push(waiter);
      });
    },
    isHeld: (id: SessionId): boolean => held.has(id),
  };
}

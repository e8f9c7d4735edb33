import { SignalboxError } from "../contract/errors.ts";
import type { SessionId, SessionKey } from "../contract/ids.ts";
import type { SessionDirectory } from "../sessions/session-directory.ts";
import type { InboxStore } from "./inbox-store.ts";
import type { Lanes } from "./lanes.ts";
import type { TurnLease, TurnLeases } from "./turn-lease.ts";

export type LaneGuard = ReturnType<typeof createLaneGuard>;

/** Answered to commands that cannot run in the middle of a turn (lifecycle 18). */
const midTurn = (): SignalboxError =>
  new SignalboxError(
    "E_BUSY",
    "This can't run mid-turn. Wait for the answer, or /stop it and try again.",
  );

/**
 * The command guard of lifecycle 18: acts on a lane run one after the other, and no turn starts while one runs. Acts must
 * be short; what takes long holds the session's lease instead.
 */
export function createLaneGuard(deps: {
  lanes: Lanes;
  directory: SessionDirectory;
  inbox: InboxStore;
  leases: TurnLeases;
}) {
  const { lanes, directory, inbox, leases } = deps;
  const queues = new Map<SessionKey, Promise<unknown>>();

  /** A turn runs in the lane, or the next one is as good as started. */
  function isBusy(key: SessionKey): boolean {
    if (lanes.running(key) !== null) return true;
    if (directory.routing.get(key)?.activeTurnToken != null) return true;
    return lanes.isBusy(key) && inbox.slot(key) !== undefined;
  }

  async function exclusive<T>(key: SessionKey, work: () => Promise<T>): Promise<T> {
    const before = queues.get(key);
    const release = lanes.hold(key);
    const mine = (async () => {
      await before;
      return work();
    })();
    const settled = mine.then(
      () => undefined,
      () => undefined,
    );
    queues.set(key, settled);
    try {
      return await mine;
    } finally {
      if (queues.get(key) === settled) queues.delete(key);
      release();
    }
  }

  /** The session's lease at once. @throws {SignalboxError} E_BUSY while a turn of another lane runs in it. */
  function leaseNow(id: SessionId): TurnLease {
    const lease = leases.tryAcquire(id);
    if (!lease)
      throw new SignalboxError(
        "E_BUSY",
        "This conversation is busy: a turn runs in it from another chat, or it is being compressed.",
        { sessionId: id },
      );
    return lease;
  }

  return {
    isBusy,
    exclusive,
    leaseNow,
    /** @throws {SignalboxError} E_BUSY while a turn runs. */
    async whenIdle<T>(key: SessionKey, work: () => Promise<T>): Promise<T> {
      // Asked before the hold: a turn that was about to start goes first.
      if (isBusy(key)) throw midTurn();
      return exclusive(key, async () => {
        if (isBusy(key)) throw midTurn();
        return work();
      });
    },
    /** The same, with the session to itself: for changes to the transcript as a whole. */
    async withTranscript<T>(key: SessionKey, work: (id: SessionId) => Promise<T>): Promise<T> {
      return this.whenIdle(key, async () => {
        const row = directory.routing.get(key);
        if (!row)
          throw new SignalboxError("E_NOT_FOUND", "There is no session with this key.", {
            field: "key",
            key,
          });
        const id = directory.lineage.tip(row.sessionId);
        const lease = leaseNow(id);
        try {
          return await work(id);
        } finally {
          lease.release();
        }
      });
    },
  };
}

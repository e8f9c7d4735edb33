import type { QueueItem } from "../contract/calls-recovery.ts";
import { SignalboxError } from "../contract/errors.ts";
import type { Clock } from "../clock.ts";
import { failpoint } from "../failpoint.ts";
import type { Bus } from "../live/bus.ts";
import type { SessionDirectory } from "../sessions/session-directory.ts";
import type { ActStore } from "../state/act-store.ts";
import type { Database } from "../state/database.ts";
import { decodeInbound } from "../turns/inbound-json.ts";
import type { InboxStore } from "../turns/inbox-store.ts";
import { pendingCap } from "../turns/intake.ts";
import { undoMs } from "../turns/lane-acts.ts";
import type { Lanes } from "../turns/lanes.ts";
import type { QueueStore, WaitingRow } from "../turns/queue-store.ts";
import type { Served } from "./served.ts";

export interface QueueServedDeps {
  db: Database;
  directory: SessionDirectory;
  inbox: InboxStore;
  queues: QueueStore;
  acts: ActStore;
  lanes: Lanes;
  bus: Bus;
  clock: Clock;
  housekeeping: { afterRemoval(): void };
}

/** The calls `queues.*`. */
export function servedQueues(deps: QueueServedDeps) {
  const { db, directory, inbox, queues, lanes, bus, clock } = deps;
  const { routing } = directory;
  const act = (actor: string, name: string, sessionKey: string, summary: string): void => {
    deps.acts.record({ at: clock.nowMs(), actor, act: name, sessionKey, summary });
  };

  async function changeQueue(
    inputId: number,
    work: (item: NonNullable<ReturnType<QueueStore["get"]>>, nowMs: number) => boolean,
  ): Promise<boolean> {
    const { key, changed } = await db.write(() => {
      const nowMs = clock.nowMs();
      const item = queues.get(inputId);
      if (!item)
        throw new SignalboxError("E_NOT_FOUND", "There is no waiting message with this number.", {
          field: "inputId",
        });
      const done = work(item, nowMs);
      routing.patch(item.key, { queueDepth: inbox.depth(item.key).depth });
      routing.settleState(item.key, nowMs);
      failpoint("act.queue_uncommitted");
      return { key: item.key, changed: done };
    });
    failpoint("act.queue_changed");
    bus.emit("session.changed", { key, urgent: true });
    lanes.wake(key);
    return changed;
  }

  return {
    "queues.list": async ({ limit }) => {
      const done = queues.doneSince(clock.nowMs() - 60_000);
      return {
        lanes: queues.lanes().map(({ slot, human, queue, internal, resume: resumes, ...lane }) => ({
          ...lane,
          slot: slot > 0,
          donePerMinute: done.get(lane.key) ?? 0,
          composition: { human, queue, internal, resume: resumes },
        })),
        items: queues.waiting(limit ?? 200).map((row) => queueItem(row, lanes)),
        total: queues.total(),
        cap: pendingCap,
      };
    },
    "queues.remove": async ({ inputId }, { actor }) => {
      const key = await changeQueue(inputId, (item, nowMs) => {
        if (item.kind === "internal")
          throw new SignalboxError("E_REFUSED", "The gateway's own wakes cannot be removed.", {
            inputId,
          });
        if (!inbox.end(inputId, "removed", nowMs)) return false;
        inbox.promote(item.key);
        act(actor, "queue-remove", item.key, `Message ${inputId}.`);
        return true;
      });
      if (key) deps.housekeeping.afterRemoval();
      return { changed: key, undoUntilMs: key ? clock.nowMs() + undoMs : null };
    },
    "queues.restore": async ({ inputId }) => ({
      changed: await changeQueue(inputId, (item) => {
        if (!queues.restore(inputId)) return false;
        inbox.promote(item.key);
        return true;
      }),
    }),
    "queues.move": async ({ inputId, before }, { actor }) => ({
      changed: await changeQueue(inputId, (item) => {
        const moved =
          item.state === "accepted" &&
          item.kind !== "internal" &&
          queues.move(item.key, inputId, before);
        if (moved) act(actor, "queue-move", item.key, `Message ${inputId}.`);
        return moved;
      }),
    }),
  } satisfies Partial<Served>;
}

function queueItem(row: WaitingRow, lanes: Lanes): QueueItem {
  const message = decodeInbound(row.eventJson);
  const running = lanes.running(row.key) !== null;
  return {
    inputId: row.inputId,
    key: row.key,
    title: row.title,
    kind: row.kind === "command" ? "message" : row.kind,
    place: row.place,
    preview: message.resume ? "takes up the interrupted turn" : message.text.slice(0, 280),
    from: message.source.userName ?? message.source.userId ?? message.channelId,
    acceptedAtMs: row.acceptedAtMs,
    reason: waitReason(row, running, lanes.whyClosed(row.key)),
  };
}

/** Why it waits, the outermost reason first. */
function waitReason(row: WaitingRow, running: boolean, closed: string | null): string {
  if (closed !== null) return closed;
  if (row.before > 0) return `${row.before} before it`;
  if (running) return "a turn is running";
  return row.place === "fifo" ? "waits for the next message" : "about to start";
}

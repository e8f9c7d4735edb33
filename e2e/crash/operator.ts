import { z } from "zod";
import { rpc } from "./gateway-process.ts";
import { isOperated } from "./line.ts";
import type { Heard } from "./evidence.ts";
import { pause } from "./people.ts";
import type { Chance } from "./seeded.ts";

type Where = { url: string; token: string };

/** What the operator of a run did that the checker has to know. */
export interface OperatorLog {
  /** Deliveries sent again by hand. */
  resent: Set<string>;
  /** Lanes whose order was changed. */
  reordered: Set<string>;
  /** A message was taken out and not put back, so that its person is told once that can no longer be undone. */
  removed: boolean;
}

const queues = z.object({
  total: z.number(),
  lanes: z.array(z.object({ key: z.string(), runningSinceMs: z.number().nullable() })),
  items: z.array(z.object({ inputId: z.number(), key: z.string(), kind: z.string() })),
});
const deliveries = z.object({
  counts: z.record(z.string(), z.number()),
  deliveries: z.array(z.object({ id: z.string(), state: z.string() })),
});
const sessions = z.object({ sessions: z.array(z.object({ key: z.string() })) });

/** The lane of the test that a session key belongs to. */
const laneOf = (key: string): string => {
  const chat = /(plain|keyed|parts|asks):(\1-\w+)/.exec(key);
  return chat ? `${chat[1]}:${chat[2]}` : "";
};

/** Longer than a removal can be taken back, in ms. */
const undoneAfterMs = 12_000;

const acts = ["queue", "stop", "reset", "suspend", "recover"] as const;

/** The act that passes a place, where the operator does one. */
const actAt = (place: string | null): (typeof acts)[number] | null =>
  acts.find((act) => place?.startsWith(`act.${act}`) === true) ?? null;

/**
 * Takes part in a lane until the gateway is gone: moves, removes and restores, stops, resets, suspends, recovers.
 * @param place Where the gateway is to die: the operator does what leads there.
 */
export async function meddle(
  where: Where,
  log: OperatorLog,
  chance: Chance,
  place: string | null,
): Promise<void> {
  for (;;) {
    await pause(chance.between(20, 150));
    const act = actAt(place) ?? chance.pick(acts);
    if (act === "recover") await rpc(where, "recovery.run");
    else if (act === "queue") await changeOrder(where, log, chance);
    else {
      const { sessions: all } = sessions.parse(await rpc(where, "sessions.list", { limit: 100 }));
      const key = all.find((one) => isOperated(laneOf(one.key)))?.key;
      if (key !== undefined) await rpc(where, `sessions.${act}`, { key });
    }
  }
}

async function changeOrder(where: Where, log: OperatorLog, chance: Chance): Promise<void> {
  const { items } = queues.parse(await rpc(where, "queues.list", { limit: 500 }));
  const mine = items.filter((item) => isOperated(laneOf(item.key)) && item.kind !== "internal");
  if (mine.length < 2) return;
  const item = chance.pick(mine);
  log.reordered.add(laneOf(item.key)); // before it is done: it may be, although the answer never comes
  if (chance.happens(0.5)) {
    const others = mine.filter((one) => one !== item);
    const before = chance.happens(0.8) ? chance.pick(others).inputId : null;
    await rpc(where, "queues.move", { inputId: item.inputId, before });
  } else {
    const before = log.removed;
    log.removed = true; // until it is back
    await rpc(where, "queues.remove", { inputId: item.inputId });
    await rpc(where, "queues.restore", { inputId: item.inputId });
    log.removed = before;
  }
}

/**
 * Waits until nothing waits, runs or is owed. What may have arrived is decided as an operator would who looks into the
 * chat: it is there, or it is sent again.
 */
export async function comeToRest(
  where: Where,
  log: OperatorLog,
  heard: () => Heard[],
  withinMs = 120_000,
): Promise<void> {
  const startedMs = performance.now();
  for (;;) {
    const waiting = queues.parse(await rpc(where, "queues.list"));
    const ledger = deliveries.parse(await rpc(where, "deliveries.list", { state: "unknown" }));
    for (const { id } of ledger.deliveries) {
      if (isWhole(heard(), id)) {
        await rpc(where, "deliveries.markDelivered", { id });
      } else {
        log.resent.add(id);
        await rpc(where, "deliveries.retry", { id });
      }
    }
    const { pending = 0, attempting = 0, failed = 0, unknown = 0 } = ledger.counts;
    const busy = waiting.lanes.length + waiting.total + pending + attempting + failed + unknown;
    const undoable = log.removed && performance.now() - startedMs < undoneAfterMs;
    if (busy === 0 && !undoable) return;
    if (performance.now() - startedMs > withinMs)
      throw new Error(`it does not come to rest: ${JSON.stringify({ waiting, ledger })}`);
    await pause(100);
  }
}

function isWhole(heard: readonly Heard[], id: string): boolean {
  const mine = heard.filter((one) => one.delivery === id);
  const parts = mine[0]?.parts ?? 1;
  return new Set(mine.map((one) => one.part)).size === parts;
}

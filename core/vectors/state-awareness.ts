import { actorOfTurn } from "../journal/actor.ts";
import type { Actor } from "../journal/actor.ts";
import { agentOf } from "../journal/agent-key.ts";
import type { EventPayload, RecordedEvent } from "../journal/kinds.ts";
import { targetOfContext } from "../journal/notice-text.ts";
import {
  childEnded,
  childSpawned,
  compacted,
  goalChanged,
  humanMessage,
  shownPayload,
} from "../journal/producers.ts";
import type { ChildOutcome } from "../journal/producers.ts";
import { readVersion } from "../journal/reconcile.ts";
import { isJsonObject, own } from "../sessions/stored-json.ts";
import type { JsonObject } from "../sessions/stored-json.ts";
import { adopt, claudeScan, linkRead, tick } from "./awareness-upstream.ts";
import { awarenessWorld } from "./awareness-world.ts";
import type { AwarenessWorld } from "./awareness-world.ts";
import { deviations } from "./deviations.ts";
import { agent, list, number, object, offset, optional, text, texts } from "./step-args.ts";
import type { Args } from "./step-args.ts";
import { differenceOf } from "./vector-run.ts";
import type { CaseOutcome, VectorRunner } from "./vector-run.ts";

type Op = (world: AwarenessWorld, args: Args) => unknown;

const target = (args: Args, name = "session") => ({ key: text(args, name), agentId: agent(args) });
const subject = (args: Args, name = "session") => ({
  sessionKey: text(args, name),
  agentId: agent(args),
});
const lineage = (args: Args) => ({
  spawnedBy: optional(args, "spawnedBy"),
  parent: optional(args, "parent"),
});
const actor = (args: Args, otherwise: Actor["type"]): Actor => {
  const type = optional(args, "actorType");
  return {
    type: type === "human" || type === "agent" || type === "system" ? type : otherwise,
    id: optional(args, "actorId"),
  };
};
function shownEvent(event: RecordedEvent): Record<string, unknown> {
  const payload = shownPayload(event.payload);
  return {
    sequence: event.sequence,
    kind: event.kind,
    actorType: event.actor.type,
    ...(event.actor.id === null ? {} : { actorId: event.actor.id }),
    ...(event.runId === null ? {} : { runId: event.runId }),
    summary: event.summary,
    ...(payload === null ? {} : { payload }),
  };
}

function changes(world: AwarenessWorld, args: Args): unknown {
  const found = world.journal.changesSince(
    target(args),
    number(args, "since", 0),
    number(args, "limit", 200),
  );
  const rest = {
    truncated: found.truncated,
    earliestAvailableSequence: found.earliestAvailableSequence,
    historyGap: found.historyGap,
  };
  if (own(args, "countOnly") !== true) return { events: found.events.map(shownEvent), ...rest };
  return {
    count: found.events.length,
    first: found.events[0]?.sequence ?? null,
    last: found.events.at(-1)?.sequence ?? null,
    ...rest,
  };
}

function rows(world: AwarenessWorld, table: string): number {
  return world.db.sql.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get() ?? 0;
}

function cursor(world: AwarenessWorld, args: Args): unknown {
  const found = world.journal.cursors.get(text(args, "watcher"), {
    key: text(args, "target"),
    agentId: agentOf(text(args, "target")),
  });
  return (
    found && { lastSeen: found.lastSeen, notified: found.notified, material: found.material }
  );
}

function versions(world: AwarenessWorld, args: Args): unknown {
  const found: Record<string, Record<string, number>> = {};
  const refs = list(args, "refs").map((ref) => [text(ref, "session"), agent(ref)] as const);
  for (const { key, agentId, version } of world.journal.events.heads(refs))
    (found[agentId] ??= {})[key] = version;
  return found;
}

const ops: Readonly<Record<string, Op>> = {
  advance: (world, args) => {
    world.advance(number(args, "ms", 0));
  },
  createSession: (world, args) => {
    world.sessions.add(text(args, "session"));
  },
  record: (world, args) =>
    world.record({
      ...subject(args),
      kind: text(args, "kind"),
      actor: actor(args, "system"),
      runId: optional(args, "runId"),
      dedupeKey: optional(args, "dedupeKey"),
      occurredAtMs: offset(world, args),
      summary: text(args, "summary"),
      payload: isJsonObject(own(args, "payload")) ? (object(args, "payload") as EventPayload) : null,
      watchers: texts(args, "watchers"),
    }),
  humanTurn: (world, args) =>
    world.record(
      humanMessage(subject(args), {
        actor: actor(args, "human"),
        channel: text(args, "channel"),
        lineage: lineage(args),
        isWatched: world.journal.isWatched(target(args)),
        runId: optional(args, "runId"),
      }),
    ),
  spawn: (world, args) => {
    world.record(
      childSpawned(subject(args, "child"), text(args, "runId"), text(args, "requester")),
    );
  },
  childEnd: (world, args) => {
    const outcome = text(args, "outcome") as ChildOutcome;
    world.record(
      childEnded(subject(args, "child"), text(args, "runId"), text(args, "requester"), outcome),
    );
  },
  goal: (world, args) => {
    world.record(
      goalChanged(subject(args), {
        actor: actor(args, "system"),
        summary: text(args, "summary"),
        lineage: { spawnedBy: optional(args, "parent"), parent: null },
      }),
    );
  },
  compact: (world, args) => {
    world.record(compacted(subject(args), text(args, "operationId")));
  },
  watch: (world, args) =>
    world.journal.watch(
      text(args, "watcher"),
      {
        key: text(args, "target"),
        agentId: optional(args, "targetAgent") ?? agentOf(text(args, "target")),
      },
      world.nowMs,
    ),
  cursor,
  queue: (world, args) =>
    world.journal.lines.waiting(text(args, "session")).map((line) => line.text),
  enqueue: (world, args) =>
    world.journal.enqueue(
      text(args, "session"),
      text(args, "text"),
      optional(args, "contextKey"),
      world.nowMs,
    ) !== null,
  drain: (world, args) => world.drain(text(args, "session")),
  loseQueue: (world) => {
    world.journal.lines.loseAll();
  },
  restart: (world) => {
    world.restart();
  },
  prune: (world) => {
    world.prune();
  },
  changesSince: changes,
  stateVersion: (world, args) => world.journal.version(target(args)),
  stateVersions: versions,
  counts: (world) => ({
    events: rows(world, "session_state_events"),
    heads: rows(world, "session_state_heads"),
    cursors: rows(world, "session_watch_cursors"),
    links: rows(world, "session_upstream_links"),
  }),
  resetSession: (world, args) => {
    world.journal.forgetWatcher(text(args, "session"), world.nowMs);
  },
  deleteSession: (world, args) => {
    world.links.drop(text(args, "session"), agent(args));
    world.journal.forgetSession(target(args), world.nowMs);
  },
  bulk: (world, args) => ({
    lastSequence: world.bulk(
      text(args, "session"),
      agent(args),
      number(args, "count", 0),
      number(args, "ageMs", 0),
    ),
  }),
  deleteRow: (world, args) => {
    world.db.sql
      .prepare(`DELETE FROM session_state_events WHERE sequence = ?`)
      .run(number(args, "sequence", 0));
  },
  occurredAt: (world, args) => {
    const event = world.journal.events.get(number(args, "sequence", 0));
    return event && event.occurredAt - world.nowMs;
  },
  // Waking waits for no window here (decision 8); the vectors name the reference's.
  wakes: (world) =>
    world
      .takeWakes()
      .map((session) => ({ session, intent: "immediate", coalesceMs: 20_000 })),
  classify: (_world, args) => {
    const provenance = object(args, "inputProvenance");
    const found = actorOfTurn({
      inputKind: optional(provenance, "kind") ?? undefined,
      sourceSessionKey: optional(provenance, "sourceSessionKey") ?? undefined,
      hasInternalEvents: list(args, "internalEvents").length > 0,
      sessionEffects: optional(args, "sessionEffects") ?? undefined,
      humanId: optional(args, "humanActorId") ?? undefined,
    });
    return { actorType: found.type, ...(found.id === null ? {} : { actorId: found.id }) };
  },
  decodeContext: (_world, args) => targetOfContext(text(args, "contextKey")),
  intParam: (_world, args) => {
    const read = readVersion(own(args, "value"));
    return read.ok ? { accepted: read.version } : { error: read.error };
  },
  link: adopt,
  linkRead,
  watchedLinks: (world) => {
    const found: Record<string, string[]> = {};
    for (const link of world.links.watched()) (found[link.catalogId] ??= []).push(link.sessionKey);
    return found;
  },
  monitorTick: tick,
  claudeScan,
};

async function runScenario(name: string, steps: readonly JsonObject[]): Promise<string | null> {
  const world = awarenessWorld();
  try {
    for (const [index, step] of steps.entries()) {
      const op = ops[text(step, "op")];
      if (!op) return `step ${index}: no such op as ${text(step, "op")}`;
      const got: unknown = (await op(world, object(step, "args"))) ?? null;
      await Promise.resolve(); // what was committed is told
      const difference = differenceOf(own(step, "expect") ?? null, got);
      const allowed = deviations[name]?.steps[index];
      if (difference !== null && (allowed === undefined || differenceOf(allowed, got) !== null))
        return `step ${index} ${text(step, "op")} ${JSON.stringify(own(step, "args"))}\n${difference}`;
    }
    return null;
  } finally {
    await world.close();
  }
}

/** Runs the scenarios of state awareness, each in a world of its own. */
export const stateAwareness: VectorRunner = async (parsed) => {
  if (!Array.isArray(parsed)) throw new Error("the file is not a list of scenarios");
  const outcomes: CaseOutcome[] = [];
  for (const [index, item] of parsed.entries()) {
    const one = isJsonObject(item) ? item : {};
    const id = text(one, "name") === "" ? `scenario ${index}` : text(one, "name");
    try {
      outcomes.push({ id, difference: await runScenario(id, list(one, "steps")) });
    } catch (thrown) {
      outcomes.push({ id, difference: `threw ${String(thrown)}` });
    }
  }
  return outcomes;
};

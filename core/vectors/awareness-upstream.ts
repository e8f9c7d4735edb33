import { isJsonObject, own } from "../sessions/stored-json.ts";
import type { JsonObject, JsonValue } from "../sessions/stored-json.ts";
import type { Outcome } from "../upstream/catalog.ts";
import { linkAfterAdoption } from "../upstream/link.ts";
import type { AwarenessWorld } from "./awareness-world.ts";
import { agent, list, number, object, offset, optional, text, texts } from "./step-args.ts";
import type { Args } from "./step-args.ts";

/** Writes or refreshes a link. */
export function adopt(world: AwarenessWorld, args: Args): boolean {
  const source = {
    sessionKey: text(args, "session"),
    agentId: agent(args),
    catalogId: text(args, "catalog"),
    hostId: text(args, "host"),
    threadId: text(args, "thread"),
    upstreamKind: text(args, "kind"),
    ref: own(args, "ref"),
    marker: own(args, "marker"),
  };
  const found = world.links.get(source.sessionKey, source.agentId);
  world.links.put(linkAfterAdoption(found, source, world.nowMs));
  return true;
}

function outcomeOf(world: AwarenessWorld, given: JsonObject): Outcome {
  const sessionKey = text(given, "session");
  if (own(given, "kind") === "missing") return { kind: "missing", sessionKey };
  const occurredAtMs = offset(world, given);
  const dedupeId = optional(given, "dedupeId");
  return {
    kind: "activity",
    sessionKey,
    humanTurns: number(given, "humanTurns", 0),
    nextMarker: own(given, "nextMarker"),
    ...(occurredAtMs === undefined ? {} : { occurredAtMs }),
    ...(dedupeId === null ? {} : { dedupeId }),
  };
}

export function tick(world: AwarenessWorld, args: Args): Promise<unknown> {
  const during = object(args, "duringScan");
  const outcomes: Record<string, readonly Outcome[] | "throw"> = {};
  for (const [catalog, given] of Object.entries(object(args, "outcomes")))
    outcomes[catalog] =
      given === "throw"
        ? "throw"
        : (Array.isArray(given) ? given.filter(isJsonObject) : []).map((one) =>
            outcomeOf(world, one),
          );
  return world.tick({
    outcomes,
    running: new Set(texts(args, "activeRuns")),
    own: texts(args, "ownTexts"),
    sessionIds: object(args, "sessionIds") as Record<string, string>,
    during() {
      const link = own(during, "link");
      if (isJsonObject(link)) adopt(world, link);
      const run = optional(during, "startRun");
      if (run !== null) world.scanning.startRun(run);
      if (Array.isArray(own(during, "ownTexts")))
        world.scanning.setOwn(texts(during, "ownTexts"));
    },
  });
}

/** A line of a file as a case gives it. */
function fileLine(line: JsonObject): string {
  const raw = own(line, "raw");
  if (typeof raw === "string") return raw;
  const pad = own(line, "pad");
  const row: JsonValue =
    typeof pad === "number"
      ? {
          type: "assistant",
          timestamp: "2027-01-15T08:00:00.000Z",
          message: { role: "assistant", content: "x".repeat(pad) },
        }
      : line;
  return `${JSON.stringify(row)}\n`;
}

export async function claudeScan(world: AwarenessWorld, args: Args): Promise<unknown> {
  const content = optional(args, "file") ?? list(args, "lines").map(fileLine).join("");
  const outcome = await world.claudeScan(content, own(args, "marker"), texts(args, "ownTexts"));
  if (outcome === null) return null;
  if (outcome.kind === "missing") return { kind: "missing" };
  const { sessionKey: _key, occurredAtMs, ...rest } = outcome;
  return {
    ...rest,
    ...(occurredAtMs === undefined ? {} : { occurredAt: new Date(occurredAtMs).toISOString() }),
  };
}

export function linkRead(world: AwarenessWorld, args: Args): unknown {
  const link = world.links.get(text(args, "session"), agent(args));
  return (
    link && {
      catalog: link.catalogId,
      host: link.hostId,
      thread: link.threadId,
      kind: link.upstreamKind,
      ref: JSON.parse(link.refJson) as unknown,
      marker: link.markerJson === null ? null : (JSON.parse(link.markerJson) as unknown),
    }
  );
}


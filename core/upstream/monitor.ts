import { toWire } from "../contract/errors.ts";
import type { Journal } from "../journal/journal.ts";
import { humanMessage, noLineage, upstreamMissing } from "../journal/producers.ts";
import type { Log } from "../log/log.ts";
import type { Catalog, Outcome, Probe } from "./catalog.ts";
import { sameLink, sourceKey, stableJson } from "./link.ts";
import type { UpstreamLink } from "./link.ts";
import type { LinkStore } from "./link-store.ts";

/** Misses in a row before a source counts as gone (state-awareness 14.6). */
const missThreshold = 3;

export interface MonitorDeps {
  links: LinkStore;
  journal: Journal;
  log: Log;
  nowMs(): number;
  catalog(id: string): Catalog | undefined;
  /** The session's incarnation, null where there is none. */
  sessionIdOf(key: string): string | null;
  isRunning(sessionId: string): boolean;
  /** The newest texts that we sent into the thread, normalised, oldest first. */
  ownTexts(sessionId: string): readonly string[];
}

interface Watched {
  link: UpstreamLink;
  sessionId: string;
  own: readonly string[];
}

const json = (text: string | null): unknown => {
  if (text === null) return null;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
};

/**
 * Watches the sources of adopted sessions (state-awareness 14.5, 14.6): one `tick` asks each catalog once about all of
 * its links, and records what people did there. Streaks of misses are in memory: a restart begins again.
 */
export function upstreamMonitor(deps: MonitorDeps) {
  const { links, journal, log } = deps;
  const streaks = new Map<string, { misses: number; updatedAt: number }>();
  const idOf = (link: UpstreamLink): string => JSON.stringify([link.sessionKey, link.agentId]);

  /** What can be asked about now: an idle session; one whose facts cannot be read is left out alone. */
  function idle(link: UpstreamLink): Watched | null {
    try {
      const sessionId = deps.sessionIdOf(link.sessionKey);
      if (sessionId === null || deps.isRunning(sessionId)) return null;
      return { link, sessionId, own: [...deps.ownTexts(sessionId)] };
    } catch (cause) {
      log.warn("upstream.unreadable", { sessionKey: link.sessionKey }, cause);
      return null;
    }
  }

  const probeOf = ({ link, own }: Watched): Probe => ({
    sessionKey: link.sessionKey,
    agentId: link.agentId,
    threadId: link.threadId,
    hostId: link.hostId,
    upstreamKind: link.upstreamKind,
    upstreamRef: json(link.refJson),
    marker: json(link.markerJson),
    ownRecentUserTexts: own,
  });

  /** Nothing that the answer rests on may have changed while the catalog looked. */
  function stillHolds({ link, sessionId, own }: Watched): boolean {
    const now = deps.ownTexts(sessionId);
    return (
      deps.sessionIdOf(link.sessionKey) === sessionId &&
      !deps.isRunning(sessionId) &&
      now.length === own.length &&
      now.every((text, at) => text === own[at]) &&
      sameLink(links.get(link.sessionKey, link.agentId), link)
    );
  }

  function applyActivity(watched: Watched, outcome: Extract<Outcome, { kind: "activity" }>): void {
    const { link, sessionId } = watched;
    const { humanTurns, dedupeId, occurredAtMs } = outcome;
    if (!Number.isSafeInteger(humanTurns) || humanTurns < 0 || !stillHolds(watched)) return;
    const nowMs = deps.nowMs();
    if (humanTurns > 0) {
      if (dedupeId === undefined || dedupeId === "" || !Number.isFinite(occurredAtMs)) return;
      const event = humanMessage(
        { sessionKey: link.sessionKey, sessionId: null, agentId: link.agentId },
        {
          actor: { type: "human", id: null },
          channel: link.catalogId,
          lineage: noLineage,
          isWatched: true,
          turns: humanTurns,
          occurredAtMs,
          dedupeKey: `upstream:${link.sessionKey}:${sourceKey(link)}:${dedupeId}`,
        },
      );
      if (!event || !journal.record({ ...event, sessionId }, nowMs)) return; // not recorded: looked at again
    }
    links.mark(link, stableJson(outcome.nextMarker), nowMs);
  }

  function applyMiss(watched: Watched): void {
    const { link, sessionId } = watched;
    const id = idOf(link);
    const before = streaks.get(id);
    if (
      !sameLink(links.get(link.sessionKey, link.agentId), link) ||
      deps.sessionIdOf(link.sessionKey) !== sessionId
    ) {
      streaks.delete(id);
      return;
    }
    if (deps.isRunning(sessionId)) return;
    const misses = (before?.updatedAt === link.updatedAt ? before.misses : 0) + 1;
    streaks.set(id, { misses, updatedAt: link.updatedAt });
    if (misses < missThreshold) return;
    const recorded = journal.record(
      upstreamMissing(
        { sessionKey: link.sessionKey, sessionId, agentId: link.agentId },
        { catalogId: link.catalogId, sourceKey: sourceKey(link), linkUpdatedAt: link.updatedAt },
      ),
      deps.nowMs(),
    );
    if (!recorded) {
      streaks.set(id, { misses: missThreshold - 1, updatedAt: link.updatedAt });
      return;
    }
    links.drop(link.sessionKey, link.agentId);
    streaks.delete(id);
  }

  async function askCatalog(catalog: Catalog, watched: readonly Watched[]): Promise<void> {
    let outcomes: readonly Outcome[];
    try {
      outcomes = await catalog.check(watched.map(probeOf));
    } catch (cause) {
      log.warn("upstream.check_failed", { catalog: catalog.id, code: toWire(cause).code }, cause);
      return; // nothing recorded, no streak changed
    }
    const found = new Map(outcomes.map((outcome) => [outcome.sessionKey, outcome]));
    for (const one of watched) {
      const outcome = found.get(one.link.sessionKey);
      if (outcome?.kind !== "missing") streaks.delete(idOf(one.link));
      if (outcome?.kind === "activity") applyActivity(one, outcome);
      if (outcome?.kind === "missing") applyMiss(one);
    }
  }

  return {
    /** One pass over all watched links. @returns how many sessions were asked about. */
    async tick(): Promise<{ probes: number }> {
      const watched = links.watched();
      const ids = new Set(watched.map(idOf));
      for (const id of streaks.keys()) if (!ids.has(id)) streaks.delete(id);
      const perKey = Map.groupBy(watched, (link) => link.sessionKey);
      let probes = 0;
      for (const [catalogId, group] of Map.groupBy(watched, (link) => link.catalogId)) {
        const catalog = deps.catalog(catalogId);
        if (!catalog) continue;
        const asked = group.flatMap((link) => {
          if ((perKey.get(link.sessionKey)?.length ?? 0) > 1) {
            log.warn("upstream.ambiguous", { sessionKey: link.sessionKey });
            return [];
          }
          return idle(link) ?? [];
        });
        if (asked.length === 0) continue;
        probes += asked.length;
        await askCatalog(catalog, asked);
      }
      return { probes };
    },
    /** Misses in a row now, for the panel. */
    missingStreaks: (): number[] => [...streaks.values()].map(({ misses }) => misses),
  };
}

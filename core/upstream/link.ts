import { createHash } from "node:crypto";

/** How an adopted session goes on from a foreign one (state-awareness 2.5). */
export interface UpstreamLink {
  sessionKey: string;
  agentId: string;
  catalogId: string;
  hostId: string;
  threadId: string;
  upstreamKind: string;
  /** How to reach it, as stored JSON text: equal texts are the same source. */
  refJson: string;
  /** How far it was scanned; null where nothing was yet, or nothing readable is stored. */
  markerJson: string | null;
  lastScannedAt: number | null;
  createdAt: number;
  /** Changes with every write: the version of the row. */
  updatedAt: number;
}

export type LinkSource = Pick<
  UpstreamLink,
  "sessionKey" | "agentId" | "catalogId" | "hostId" | "threadId" | "upstreamKind"
> & { ref: unknown; marker: unknown };

/** JSON with sorted members, so that equal references are equal texts. */
export function stableJson(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) =>
    typeof member === "object" && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}

/**
 * The row of an adoption (14.3). The same source goes on from where it was scanned, so that turns between two adoptions
 * are found; another source begins at its own baseline.
 */
export function linkAfterAdoption(
  found: UpstreamLink | undefined,
  { ref, marker, ...source }: LinkSource,
  nowMs: number,
): UpstreamLink {
  const refJson = stableJson(ref);
  const same =
    found?.threadId === source.threadId &&
    found.hostId === source.hostId &&
    found.upstreamKind === source.upstreamKind &&
    found.refJson === refJson;
  const baseline = marker === null || marker === undefined ? null : stableJson(marker);
  return {
    ...source,
    refJson,
    markerJson: same ? found.markerJson : baseline,
    lastScannedAt: same ? found.lastScannedAt : null,
    createdAt: found?.createdAt ?? nowMs,
    // A version must differ from the one before it, also within a millisecond.
    updatedAt: found ? Math.max(nowMs, found.updatedAt + 1) : nowMs,
  };
}

/** Identity of a source, for dedupe keys (14.5). */
export const sourceKey = (link: Pick<UpstreamLink, "hostId" | "threadId" | "refJson">): string =>
  createHash("sha256")
    .update(`${link.hostId}\0${link.threadId}\0${link.refJson}`)
    .digest("hex")
    .slice(0, 16);

/** Whether a row is still the one that a scan began with. */
export const sameLink = (a: UpstreamLink | undefined, b: UpstreamLink): boolean =>
  a?.updatedAt === b.updatedAt && sourceKey(a) === sourceKey(b) && a.catalogId === b.catalogId;

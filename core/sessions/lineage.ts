import type { SessionId, SessionKey } from "../contract/ids.ts";
import type { TranscriptEdit } from "../transcripts/transcript-edit-store.ts";
import { markerOf } from "./compression-tip.ts";
import type { FamilyRow } from "./lineage-store.ts";

/** How an incarnation came about. */
export type LineageKind =
  "start" | "reset" | "suspension" | "branch" | "compression" | "background";

export interface LineageNode {
  readonly sessionId: SessionId;
  /** The lane it is filed under; its transcript is read there. */
  readonly key: SessionKey | null;
  readonly parentId: SessionId | null;
  readonly kind: LineageKind;
  readonly title: string | null;
  readonly startedAtMs: number;
  readonly endedAtMs: number | null;
  readonly endReason: string | null;
  readonly messageCount: number;
  readonly archivedCount: number;
  readonly rewoundCount: number;
  readonly isCurrent: boolean;
  readonly edits: readonly TranscriptEdit[];
}

export function kindOf(row: FamilyRow, parent: FamilyRow | undefined): LineageKind {
  if (row.parentSessionId === null) return "start";
  switch (markerOf(row.modelConfig)) {
    case "_branched_from":
      return "branch";
    case "_delegate_from":
      return "background";
    case "_reset_from":
      return parent?.endReason === "suspended" ? "suspension" : "reset";
    case null:
      return "compression";
  }
}

/**
 * A lane's history as a tree, flat: parents before their children, children in the order of their beginning. A parent that
 * is not among the rows (the history is longer than what is shown) is null.
 */
export function lineageNodes(
  rows: readonly FamilyRow[],
  current: SessionId,
  editsOf: (id: SessionId) => readonly TranscriptEdit[],
): LineageNode[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  const children = Map.groupBy(
    rows.toSorted((a, b) => a.startedAt - b.startedAt || (a.id < b.id ? -1 : 1)),
    (row) =>
      row.parentSessionId !== null && byId.has(row.parentSessionId) ? row.parentSessionId : null,
  );
  const nodes: LineageNode[] = [];
  const seen = new Set<SessionId>();
  const add = (row: FamilyRow): void => {
    if (seen.has(row.id)) return; // a cycle in imported rows ends here
    seen.add(row.id);
    const parent = row.parentSessionId === null ? undefined : byId.get(row.parentSessionId);
    nodes.push({
      sessionId: row.id,
      key: row.sessionKey,
      parentId: parent?.id ?? null,
      kind: kindOf(row, parent),
      title: row.title,
      startedAtMs: row.startedAt,
      endedAtMs: row.endedAt,
      endReason: row.endReason,
      messageCount: row.messageCount,
      archivedCount: row.archived,
      rewoundCount: row.rewound,
      isCurrent: row.id === current,
      edits: editsOf(row.id),
    });
    for (const child of children.get(row.id) ?? []) add(child);
  };
  for (const root of children.get(null) ?? []) add(root);
  for (const row of rows) add(row); // whatever a cycle kept from being a root
  return nodes;
}

/** What a catalog is asked about one adopted session (state-awareness 14.10). */
export interface Probe {
  sessionKey: string;
  agentId: string;
  threadId: string;
  hostId: string;
  upstreamKind: string;
  upstreamRef: unknown;
  marker: unknown;
  /** The newest texts that we sent there ourselves, normalised. */
  ownRecentUserTexts: readonly string[];
}

export type Outcome =
  | {
      kind: "activity";
      sessionKey: string;
      humanTurns: number;
      nextMarker: unknown;
      occurredAtMs?: number;
      dedupeId?: string;
    }
  /** Certain absence only. */
  | { kind: "missing"; sessionKey: string };

/** A provider of foreign sessions. No outcome for a probe: nothing new, or it cannot be told. */
export interface Catalog {
  readonly id: string;
  check(probes: readonly Probe[]): Promise<readonly Outcome[]>;
}

/** Own texts and foreign ones are compared like this (14.4). */
export const normalisedText = (text: string): string => text.trim().replaceAll(/\s+/g, " ");

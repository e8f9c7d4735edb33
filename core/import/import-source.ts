import type { ImportFinding } from "../contract/calls-data.ts";
import type { SessionId, SessionKey } from "../contract/ids.ts";
import type { ImportedFacts } from "../sessions/import-store.ts";
import type { SessionEntry } from "../sessions/session-entry.ts";
import type { SessionSource } from "../sessions/session-source.ts";
import type { NewMessage } from "../transcripts/message-store.ts";

/** One row of a transcript as it will stand here. */
export interface SourceMessage extends Omit<NewMessage, "sessionId"> {
  /** The source's own name of the row; a later import goes on behind it. */
  ref: string;
}

/** One session of another installation. */
export interface SourceSession {
  id: SessionId;
  /** The lane it belongs or belonged to; null where nothing says so. */
  key: SessionKey | null;
  /** Its routing record, where it is its lane's current session. */
  entry: SessionEntry | null;
  /** Other keys under which our rule would look for the lane. */
  aliases: readonly SessionKey[];
  /** Where it took place, as far as it is known. */
  origin: SessionSource | null;
  platform: string;
  title: string | null;
  displayName: string | null;
  startedAt: number;
  parentId: SessionId | null;
  modelConfig: string | null;
  facts: ImportedFacts;
  /**
   * Its rows in their order, read as they are asked for.
   *
   * @param after The last row that was taken before, or null for all.
   * @returns False where the row `after` is not there any more.
   */
  messages(after: string | null): AsyncGenerator<SourceMessage, boolean>;
}

/** Another installation, opened for reading. */
export interface ImportSource {
  readonly kind: "hermes" | "openclaw";
  /** Sessions in all, as far as it can be told beforehand. */
  readonly total: number;
  readonly lanes: number;
  sessions(): AsyncGenerator<SourceSession>;
  close(): Promise<void>;
}

/** What is left out or taken in part is told here, while the source is read. */
export interface Findings {
  skip(what: string, reason: string): void;
  partial(what: string, reason: string): void;
}

/** How many of each kind a report lists. */
const listed = 500;

/** Gathers findings, the first of them in words, all of them in number. */
export function gatherFindings() {
  const skipped: ImportFinding[] = [];
  const partial: ImportFinding[] = [];
  let skippedTotal = 0;
  let partialTotal = 0;
  return {
    skip(what: string, reason: string): void {
      skippedTotal += 1;
      if (skipped.length < listed) skipped.push({ what, reason });
    },
    partial(what: string, reason: string): void {
      partialTotal += 1;
      if (partial.length < listed) partial.push({ what, reason });
    },
    read: () => ({ skipped, skippedTotal, partial, partialTotal }),
  };
}

/** What a source does not tell. */
export const noFacts: ImportedFacts = {
  endedAt: null,
  endReason: null,
  model: null,
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  estimatedCostUsd: 0,
  costStatus: "unknown",
  apiCallCount: 0,
  rewindCount: 0,
  archived: 0,
  expiryFinalized: 0,
  profileName: null,
};

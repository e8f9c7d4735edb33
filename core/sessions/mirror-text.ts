import { createHash } from "node:crypto";
import { entryToStored } from "./session-entry.ts";
import type { SessionEntry } from "./session-entry.ts";

const README =
  "A mirror of Signalbox's routing table, for people and other tools: which session each lane is in now, and what is known about it. " +
  "The truth is state.db beside this folder, and so are the transcripts; a conversation that is not listed here is not lost. " +
  "It is read back only for lanes that the database does not know, and when the database cannot be opened. Times are UTC.";

/** Names of the mirror's own members. A name with `_` at its front is never a lane (lifecycle 3.6). */
export const QUARANTINE = "_quarantine";
const SEAL = "_sha256";

/** Members that this build writes anew each time; anything else that begins with `_` is kept as it came. */
export const isOwnMember = (name: string): boolean => name === "_README" || name === SEAL;

/** The beginning of the file; members follow, each with its own comma. */
export const mirrorHead = (): string => `{\n  "_README": ${JSON.stringify(README)}`;

/** @param value The value's JSON text, as it is to stand in the file. */
export const memberText = (name: string, value: string): string =>
  `,\n  ${JSON.stringify(name)}: ${value}`;

export const entryText = (entry: SessionEntry): string =>
  memberText(
    entry.sessionKey,
    JSON.stringify(entryToStored(entry), null, 2).replaceAll("\n", "\n  "),
  );

/** Records that could not be read, by the name they were filed under; values are JSON text. */
export const quarantineText = (records: ReadonlyMap<string, string>): string =>
  records.size === 0
    ? ""
    : memberText(
        QUARANTINE,
        `{\n${[...records].map(([name, raw]) => `    ${JSON.stringify(name)}: ${raw}`).join(",\n")}\n  }`,
      );

/** The end of the file: a digest of everything before it, by which we know our own writing again. */
export const mirrorTail = (sha256: string): string => `${memberText(SEAL, `"${sha256}"`)}\n}\n`;

const TAIL = /^,\n {2}"_sha256": "([0-9a-f]{64})"\n\}\n$/;
const TAIL_BYTES = mirrorTail("0".repeat(64)).length;

/**
 * The digest of a mirror that nobody but a Signalbox wrote and that is whole.
 *
 * @returns null for every other file.
 */
export function sealOf(bytes: Buffer): string | null {
  const seal = TAIL.exec(bytes.subarray(-TAIL_BYTES).toString("latin1"))?.[1];
  if (seal === undefined) return null;
  const sha256 = createHash("sha256").update(bytes.subarray(0, -TAIL_BYTES)).digest("hex");
  return sha256 === seal ? seal : null;
}

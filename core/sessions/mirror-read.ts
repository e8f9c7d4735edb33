import { isUtf8 } from "node:buffer";
import { readFileSync, statSync } from "node:fs";
import { systemCode } from "../state/private-file.ts";
import { jsonMembers } from "./json-members.ts";
import { isOwnMember, QUARANTINE, sealOf } from "./mirror-text.ts";
import { entryFromStored } from "./session-entry.ts";
import type { SessionEntry } from "./session-entry.ts";

/** Larger than a mirror of a million lanes; what is larger is not read into memory. */
const largestBytes = 1024 * 1024 * 1024;

/** What the file holds beside lanes, and has to go on holding (lifecycle 2.3, 3.6). Values are JSON text. */
export interface MirrorKept {
  /** Records that are not lanes as they stand. */
  readonly quarantine: Map<string, string>;
  /** Members of another build, by name. */
  readonly reserved: Map<string, string>;
}

export interface Refusal {
  name: string;
  reason: string;
}

export type MirrorReading =
  | { kind: "absent" }
  /** Something is there, but it is no file that can be read. */
  | { kind: "unreadable"; reason: string }
  | {
      kind: "read";
      /** The digest of our own last writing; null for every other file. */
      seal: string | null;
      /** Whether it was one JSON object from beginning to end. What could be read of it is read either way. */
      whole: boolean;
      /** The file is as we left it, so that the lanes in it need not be read. Only where `known` was the seal. */
      unchanged: boolean;
      entries: SessionEntry[];
      kept: MirrorKept;
      /** Records that went into the quarantine just now. */
      refused: Refusal[];
    };

const nothingKept = (): MirrorKept => ({ quarantine: new Map(), reserved: new Map() });

/**
 * Reads `sessions.json` for whatever it holds (lifecycle 3.6). Never throws, whatever the bytes are.
 *
 * @param known The seal of a file that is known to hold nothing new, or null.
 */
export function readMirror(file: string, known: string | null = null): MirrorReading {
  let bytes: Buffer;
  try {
    if (statSync(file).size > largestBytes)
      return { kind: "unreadable", reason: "it is too large" };
    bytes = readFileSync(file);
  } catch (cause) {
    const code = systemCode(cause) ?? "the system refused it";
    return code === "ENOENT" ? { kind: "absent" } : { kind: "unreadable", reason: code };
  }
  const seal = sealOf(bytes);
  if (seal !== null && seal === known && !holdsForeignMembers(bytes))
    return {
      kind: "read",
      seal,
      whole: true,
      unchanged: true,
      entries: [],
      kept: nothingKept(),
      refused: [],
    };
  return { kind: "read", seal, unchanged: false, ...readMembers(bytes) };
}

/** Whether a sealed file has members of its own beside lanes: ours begin its first and its last line. */
function holdsForeignMembers(bytes: Buffer): boolean {
  const first = bytes.indexOf('\n  "_');
  const second = bytes.indexOf('\n  "_', first + 1);
  return second !== bytes.lastIndexOf('\n  "_');
}

function readMembers(bytes: Buffer) {
  const entries = new Map<string, SessionEntry>();
  const kept = nothingKept();
  const refused: Refusal[] = [];
  const refuse = (name: string, raw: string, reason: string): void => {
    quarantine(kept.quarantine, name, raw);
    refused.push({ name, reason });
  };
  const text = bytes.toString("utf8");
  const members = jsonMembers(text);
  for (;;) {
    const step = members.next();
    if (step.done === true)
      return { whole: step.value && isUtf8(bytes), entries: [...entries.values()], kept, refused };
    const { key, raw } = step.value;
    const value = parsed(raw);
    if (isOwnMember(key)) continue;
    if (key === QUARANTINE && value !== undefined) {
      for (const record of jsonMembers(raw)) quarantine(kept.quarantine, record.key, record.raw);
    } else if (key.startsWith("_")) {
      kept.reserved.set(key, value === undefined ? JSON.stringify(raw) : raw);
    } else if (value === undefined) refuse(key, JSON.stringify(raw), "it is not JSON");
    else {
      const reading = entryFromStored(key, value);
      if (reading.ok) entries.set(key, reading.entry);
      else refuse(key, raw, reading.reason);
    }
  }
}

/** Adds a record under its name, or, where another of that name is kept already, under a numbered one. */
export function quarantine(kept: Map<string, string>, name: string, raw: string): void {
  let free = name;
  for (let n = 2; kept.has(free) && kept.get(free) !== raw; n += 1) free = `${name} (${n})`;
  kept.set(free, raw);
}

function parsed(raw: string): unknown {
  try {
    return JSON.parse(raw) as unknown;
  } catch {
    return undefined;
  }
}

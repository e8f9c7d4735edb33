import { open } from "node:fs/promises";
import { systemCode } from "../state/private-file.ts";
import type { Outcome, Probe } from "./catalog.ts";
import { readClaudeRows, windowBytes } from "./claude-rows.ts";

/** Where the last scan ended, in bytes; older rows call it `size`. Null where the marker is of no use. */
function offsetOf(marker: unknown): number | null {
  if (typeof marker !== "object" || marker === null) return null;
  const given: unknown =
    "offset" in marker ? marker.offset : "size" in marker ? marker.size : undefined;
  return typeof given === "number" && Number.isSafeInteger(given) && given >= 0 ? given : null;
}

const filePathOf = (ref: unknown): string | null =>
  typeof ref === "object" && ref !== null && "filePath" in ref && typeof ref.filePath === "string"
    ? ref.filePath
    : null;

/**
 * One look at the file of an adopted Claude session (state-awareness 14.7): what people typed there since the marker.
 * Never writes. @returns null where nothing is new, or it cannot be told.
 */
export async function scanClaudeFile(probe: Probe): Promise<Outcome | null> {
  const path = filePathOf(probe.upstreamRef);
  const offset = offsetOf(probe.marker);
  if (path === null) return null;
  const missing = { kind: "missing", sessionKey: probe.sessionKey } as const;
  let file;
  try {
    file = await open(path, "r");
  } catch (cause) {
    return systemCode(cause) === "ENOENT" ? missing : null;
  }
  try {
    const stat = await file.stat();
    if (!stat.isFile()) return missing;
    if (offset === null || stat.size <= offset) return null;
    const piece = Buffer.alloc(Math.min(windowBytes, stat.size - offset));
    const { bytesRead } = await file.read(piece, 0, piece.length, offset);
    const read = readClaudeRows(
      piece.subarray(0, bytesRead),
      probe.ownRecentUserTexts,
      Math.trunc(stat.mtimeMs),
    );
    if (!read) return null;
    const next = offset + read.consumed;
    return {
      kind: "activity",
      sessionKey: probe.sessionKey,
      humanTurns: read.humanTurns,
      nextMarker: { offset: next },
      ...(read.occurredAtMs === null
        ? {}
        : { occurredAtMs: read.occurredAtMs, dedupeId: String(next) }),
    };
  } catch {
    return null; // unreadable now says nothing about the thread
  } finally {
    await file.close();
  }
}

import {
  closeSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readdirSync,
  renameSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { asSessionId } from "../contract/ids.ts";
import type { SessionId } from "../contract/ids.ts";
import type { Log } from "../log/log.ts";
import { isUnsafeSessionId } from "../sessions/path-safety.ts";
import type { SessionDirectory } from "../sessions/session-directory.ts";
import { asideName } from "../state/aside.ts";
import type { Database, SqlDatabase } from "../state/database.ts";
import { diskError } from "../state/private-file.ts";
import { readLines } from "../state/read-lines.ts";
import { lineOf, messageOfLine } from "./transcript-line.ts";
import type { LineMessage } from "./transcript-line.ts";

/** Where a session's lines are while there is no database (lifecycle 3.10). */
export const transcriptFile = (sessionsDir: string, id: string): string =>
  join(sessionsDir, `${id}.jsonl`);

interface NewRow extends LineMessage {
  id: number;
  sessionId: SessionId;
}

/**
 * Appends every new transcript row to its session's file, synced, before it is committed.
 *
 * @returns For `openDatabase`: a hook that does nothing until it is armed.
 */
export function transcriptAppender(sessionsDir: string) {
  let lastId: number | null = null;
  let read: ReturnType<typeof prepare> | null = null;

  function prepare(sql: SqlDatabase) {
    return sql.prepare<[number], NewRow>(`
      SELECT id, session_id AS sessionId, role, coalesce(content, '') AS content, timestamp, sender_name AS senderName,
          turn_id AS turnId, platform_message_id AS platformMessageId, tool_calls AS toolCalls, tool_call_id AS toolCallId,
          tool_name AS toolName, finish_reason AS finishReason, display_kind AS displayKind,
          display_metadata AS displayMetadata, token_count AS tokenCount, api_content AS apiContent
        FROM messages WHERE id > ? ORDER BY id`);
  }

  return {
    /** From now on rows are written; those that are there already came from the files. */
    arm(sql: SqlDatabase): void {
      lastId = sql.prepare<[], number | null>(`SELECT max(id) FROM messages`).pluck().get() ?? 0;
    },
    beforeCommit(sql: SqlDatabase): () => void {
      if (lastId === null) return () => undefined;
      read ??= prepare(sql);
      const rows = read.all(lastId);
      const last = rows.at(-1);
      if (!last) return () => undefined;
      const before = lastId;
      const undo: (() => void)[] = [];
      const takeBack = (): void => {
        lastId = before;
        for (const step of undo) step();
      };
      try {
        for (const [id, lines] of Map.groupBy(rows, (row) => row.sessionId))
          undo.push(appendSynced(transcriptFile(sessionsDir, id), lines));
      } catch (cause) {
        takeBack();
        throw cause;
      }
      lastId = last.id;
      return takeBack;
    },
  };
}

/** @returns how to take it back. @throws {SignalboxError} E_STORE_FULL, E_READ_ONLY; the file is then as it was. */
function appendSynced(file: string, rows: readonly LineMessage[]): () => void {
  try {
    const fd = openSync(file, "a", 0o600);
    const length = fstatSync(fd).size;
    try {
      const bytes = Buffer.from(rows.map((row) => `${lineOf(row)}\n`).join(""));
      for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at);
      fsyncSync(fd);
      if (length === 0) syncDirectory(dirname(file));
    } catch (cause) {
      ftruncateSync(fd, length);
      throw cause;
    } finally {
      closeSync(fd);
    }
    return () => {
      cutTo(file, length);
    };
  } catch (cause) {
    throw diskError(cause, file);
  }
}

function cutTo(file: string, length: number): void {
  const fd = openSync(file, "r+");
  try {
    ftruncateSync(fd, length);
  } finally {
    closeSync(fd);
  }
}

function syncDirectory(dir: string): void {
  try {
    const fd = openSync(dir, "r");
    try {
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  } catch {
    // Windows opens no directories
  }
}

export interface MergeOptions {
  /** Renames each file to `.imported` when its rows are in; else it stays for a later start. */
  rename: boolean;
  nowMs: number;
  log: Log;
}

/**
 * Brings the lines of `{session_id}.jsonl` files into the database (lifecycle 3.10): those that are not there yet, in
 * their order, each file in one transaction. Files of other products are left alone.
 */
export function mergeTranscriptFiles(
  db: Database,
  directory: SessionDirectory,
  sessionsDir: string,
  options: MergeOptions,
): { files: number; rows: number } {
  const merged = { files: 0, rows: 0 };
  for (const name of transcriptNames(sessionsDir)) {
    const file = join(sessionsDir, name);
    const id = name.slice(0, -".jsonl".length);
    try {
      const messages = ownLines(file);
      if (messages === null) continue;
      merged.rows += db.writeNow(() => mergeOne(db, directory, asSessionId(id), messages));
      merged.files += 1;
      if (options.rename) renameSync(file, freeName(file, options.nowMs, sessionsDir));
    } catch (cause) {
      options.log.error("transcript_file.not_merged", { file: name }, cause);
    }
  }
  return merged;
}

function transcriptNames(sessionsDir: string): string[] {
  try {
    return readdirSync(sessionsDir)
      .filter((name) => name.endsWith(".jsonl") && !isUnsafeSessionId(name))
      .toSorted();
  } catch {
    return []; // no folder: there never was a degraded start
  }
}

/** `<file>.imported`, or with a stamp where an earlier time left one. */
function freeName(file: string, nowMs: number, sessionsDir: string): string {
  const taken = new Set(readdirSync(sessionsDir).map((name) => join(sessionsDir, name)));
  const plain = `${file}.imported`;
  return taken.has(plain) ? asideName(file, "imported", nowMs) : plain;
}

/** The rows of a file of ours, lines that cannot be read left out; null for a file of something else. */
function ownLines(file: string): LineMessage[] | null {
  const messages: LineMessage[] = [];
  for (const { text } of readLines(file)) {
    const message = text === null ? null : messageOfLine(text);
    if (message) messages.push(message);
    else if (messages.length === 0 && text !== null && isOther(text)) return null;
  }
  return messages.length === 0 ? null : messages;
}

/** A first line that is JSON, but not ours. */
function isOther(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Adds what is missing; a row that stands there twice in the file stands twice in the transcript. */
function mergeOne(
  db: Database,
  { incarnations, messages, routing }: SessionDirectory,
  id: SessionId,
  lines: readonly LineMessage[],
): number {
  if (!incarnations.exists(id))
    incarnations.insert({
      id,
      source: "local",
      sessionKey: null,
      userId: null,
      chatId: null,
      chatType: null,
      threadId: null,
      displayName: null,
      originJson: null,
      parentSessionId: null,
      modelConfig: null,
      startedAt: lines[0]?.timestamp ?? 0,
      title: null,
    });
  const known = db.sql.prepare<[string, number, number], LineMessage>(
    `SELECT role, coalesce(content, '') AS content, timestamp FROM messages WHERE session_id = ? AND timestamp BETWEEN ? AND ?`,
  );
  const times = lines.map((line) => line.timestamp);
  const left = new Map<string, number>();
  const name = ({ role, content, timestamp }: LineMessage): string =>
    JSON.stringify([role, content, timestamp]);
  const from = times.reduce((a, b) => Math.min(a, b), Infinity);
  const to = times.reduce((a, b) => Math.max(a, b), -Infinity);
  for (const row of known.all(id, from, to)) left.set(name(row), (left.get(name(row)) ?? 0) + 1);
  let added = 0;
  for (const line of lines) {
    const there = left.get(name(line)) ?? 0;
    if (there > 0) {
      left.set(name(line), there - 1);
      continue;
    }
    messages.append({ ...line, sessionId: id });
    added += 1;
  }
  const row = routing.bySessionId(id);
  if (row && added > 0) routing.patch(row.sessionKey, { messageCount: incarnations.recount(id) });
  return added;
}

import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { asSessionId, asSessionKey } from "../contract/ids.ts";
import type { SessionKey } from "../contract/ids.ts";
import { jsonMembers } from "../sessions/json-members.ts";
import { isUnsafeSessionId } from "../sessions/path-safety.ts";
import { entryFromStored } from "../sessions/session-entry.ts";
import type { SessionEntry } from "../sessions/session-entry.ts";
import { buildSessionKey, legacySessionKeys } from "../sessions/session-key.ts";
import type { KeyRules } from "../sessions/session-key.ts";
import {
  platformFrom,
  sessionSource,
  sessionSourceFromStored,
} from "../sessions/session-source.ts";
import type { SessionSource } from "../sessions/session-source.ts";
import { breather } from "./breather.ts";
import type { Breather } from "./breather.ts";
import { parsedJson } from "./content-text.ts";
import { copyDatabase } from "./hermes-copy.ts";
import type { DatabaseCopy } from "./hermes-copy.ts";
import {
  columnsIn,
  messageColumns,
  messageOfRow,
  numberIn,
  textIn,
  timeIn,
} from "./hermes-rows.ts";
import type { LooseRow } from "./hermes-rows.ts";
import { noFacts } from "./import-source.ts";
import type { Findings, ImportSource, SourceMessage, SourceSession } from "./import-source.ts";

const sessionColumns = [
  "id",
  "source",
  "user_id",
  "session_key",
  "chat_id",
  "chat_type",
  "thread_id",
  "display_name",
  "origin_json",
  "expiry_finalized",
  "model",
  "model_config",
  "parent_session_id",
  "started_at",
  "ended_at",
  "end_reason",
  "input_tokens",
  "output_tokens",
  "cache_read_tokens",
  "cache_write_tokens",
  "reasoning_tokens",
  "estimated_cost_usd",
  "cost_status",
  "title",
  "api_call_count",
  "rewind_count",
  "archived",
  "profile_name",
] as const;

/** Rows read in one go. */
const page = 200;

/** Where an installation keeps its things: its home, or a folder that holds both files. */
function hermesFiles(dir: string): { database: string | null; index: string | null } {
  const first = (...paths: string[]): string | null =>
    paths.find((path) => existsSync(path)) ?? null;
  return {
    database: first(join(dir, "state.db")),
    index: first(join(dir, "sessions.json"), join(dir, "sessions", "sessions.json")),
  };
}

interface Index {
  /** Routing records by the session they lead to. */
  bySession: Map<string, SessionEntry>;
  keys: Set<string>;
}

/** Opens a hermes-agent installation, its database through a copy. Nothing in it is touched. */
export async function openHermes(
  dir: string,
  workDir: string,
  rules: KeyRules,
  findings: Findings,
): Promise<ImportSource> {
  const files = hermesFiles(dir);
  const breathe = breather();
  const copy =
    files.database === null ? null : await copyDatabase(files.database, workDir, findings);
  try {
    const index: Index = { bySession: new Map(), keys: new Set() };
    if (copy) await readRoutingTable(copy, index, findings, breathe);
    if (files.index !== null) await readIndexFile(files.index, index, findings, breathe);
    if (!copy) findings.partial("state.db", "it is not in the folder: there are no transcripts");
    const count = copy?.sql.prepare<[], number>(`SELECT count(*) FROM sessions`).pluck().get() ?? 0;
    return {
      kind: "hermes",
      lanes: index.bySession.size,
      total: Math.max(count, index.bySession.size),
      async *sessions() {
        const left = new Set(index.bySession.keys());
        if (copy)
          for await (const session of storedSessions(copy, index, rules, findings, breathe)) {
            left.delete(session.id);
            yield session;
          }
        for (const id of left) {
          const entry = index.bySession.get(id);
          if (entry) yield sessionOf({ id, source: entry.platform }, entry, rules, noMessages);
        }
      },
      close: async () => copy?.close(),
    };
  } catch (cause) {
    await copy?.close();
    throw cause;
  }
}

async function readRoutingTable(
  { sql }: DatabaseCopy,
  index: Index,
  findings: Findings,
  breathe: Breather,
): Promise<void> {
  if (columnsIn(sql, "gateway_routing", ["session_key", "entry_json"]).length < 2) return;
  const rows = sql
    .prepare<[], { key: string; json: string }>(
      `SELECT session_key AS key, entry_json AS json FROM gateway_routing ORDER BY updated_at DESC, session_key`,
    )
    .iterate();
  for (const { key, json } of rows) {
    await breathe();
    addRecord(index, key, parsedJson(json), findings);
  }
}

/** The file adds only the lanes that the table lacks (lifecycle 3.6). */
async function readIndexFile(
  file: string,
  index: Index,
  findings: Findings,
  breathe: Breather,
): Promise<void> {
  const members = jsonMembers(await readFile(file, "utf8"));
  for (;;) {
    await breathe();
    const step = members.next();
    if (step.done === true) {
      if (!step.value)
        findings.partial(
          "sessions.json",
          "the file is cut or damaged; it was read as far as it goes",
        );
      return;
    }
    const { key, raw } = step.value;
    if (!key.startsWith("_")) addRecord(index, key, parsedJson(raw), findings);
  }
}

function addRecord(index: Index, key: string, stored: unknown, findings: Findings): void {
  if (index.keys.has(key)) return;
  const reading = entryFromStored(key, stored);
  if (!reading.ok) {
    findings.skip(key, reading.reason);
    return;
  }
  index.keys.add(key);
  const other = index.bySession.get(reading.entry.sessionId);
  if (other) findings.skip(key, `it shares its session with ${other.sessionKey}`);
  else index.bySession.set(reading.entry.sessionId, reading.entry);
}

async function* storedSessions(
  { sql }: DatabaseCopy,
  index: Index,
  rules: KeyRules,
  findings: Findings,
  breathe: Breather,
): AsyncGenerator<SourceSession> {
  const columns = columnsIn(sql, "sessions", sessionColumns);
  const next = sql.prepare<[number, number], LooseRow>(
    `SELECT rowid AS row, ${columns.join(", ")} FROM sessions WHERE rowid > ? ORDER BY rowid LIMIT ?`,
  );
  const has = sql.prepare<[string]>(`SELECT 1 FROM messages WHERE session_id = ? LIMIT 1`);
  const read = messageReader(sql, breathe);
  for (let after = 0; ;) {
    const rows = next.all(after, page);
    for (const row of rows) {
      await breathe();
      const id = textIn(row, "id") ?? "";
      const entry = index.bySession.get(id) ?? null;
      if (id === "" || isUnsafeSessionId(id)) findings.skip(id, "its id is not safe");
      else if (!entry && has.get(id) === undefined) findings.skip(id, "nothing was said in it");
      else yield sessionOf(row, entry, rules, (from) => read(id, from));
    }
    const last = rows.at(-1);
    if (!last || rows.length < page) return;
    after = numberIn(last, "row");
  }
}

function messageReader(sql: DatabaseCopy["sql"], breathe: Breather) {
  const columns = columnsIn(sql, "messages", messageColumns);
  const next = sql.prepare<[string, number, number], LooseRow>(
    `SELECT ${columns.join(", ")} FROM messages WHERE session_id = ? AND id > ? ORDER BY id LIMIT ?`,
  );
  return async function* (id: string, from: string | null): AsyncGenerator<SourceMessage, boolean> {
    for (let after = from === null ? 0 : Number(from); ;) {
      const rows = next.all(id, after, page);
      for (const row of rows) {
        await breathe();
        const message = messageOfRow(row);
        if (message) yield message;
      }
      const last = rows.at(-1);
      if (!last || rows.length < page) return true; // rows only ever come behind
      after = numberIn(last, "id");
    }
  };
}

async function* noMessages(): AsyncGenerator<SourceMessage, boolean> {
  yield* [];
  return true;
}

function sessionOf(
  row: LooseRow,
  entry: SessionEntry | null,
  rules: KeyRules,
  messages: SourceSession["messages"],
): SourceSession {
  const origin = entry?.origin ?? originOfRow(row);
  const stored = entry?.sessionKey ?? textIn(row, "session_key");
  const key =
    stored === null || stored === "" ? null : canonicalKey(asSessionKey(stored), origin, rules);
  const parent = textIn(row, "parent_session_id");
  const whole = (name: string): number => Math.trunc(numberIn(row, name));
  const flag = (name: string): 0 | 1 => (numberIn(row, name) === 1 ? 1 : 0);
  return {
    id: asSessionId(textIn(row, "id") ?? ""),
    key,
    entry: entry && key !== null ? { ...entry, sessionKey: key } : null,
    aliases: [],
    origin,
    platform: textIn(row, "source") ?? entry?.platform ?? "local",
    title: textIn(row, "title"),
    displayName: textIn(row, "display_name") ?? entry?.displayName ?? null,
    startedAt: timeIn(row, "started_at") ?? entry?.createdAtMs ?? 0,
    parentId: parent === null ? null : asSessionId(parent),
    modelConfig: textIn(row, "model_config"),
    facts: {
      ...noFacts,
      endedAt: timeIn(row, "ended_at"),
      endReason: textIn(row, "end_reason"),
      model: textIn(row, "model"),
      inputTokens: whole("input_tokens"),
      outputTokens: whole("output_tokens"),
      cacheReadTokens: whole("cache_read_tokens"),
      cacheWriteTokens: whole("cache_write_tokens"),
      reasoningTokens: whole("reasoning_tokens"),
      estimatedCostUsd: numberIn(row, "estimated_cost_usd"),
      costStatus: textIn(row, "cost_status") ?? "unknown",
      apiCallCount: whole("api_call_count"),
      rewindCount: whole("rewind_count"),
      archived: flag("archived"),
      expiryFinalized: flag("expiry_finalized"),
      profileName: textIn(row, "profile_name"),
    },
    messages,
  };
}

function originOfRow(row: LooseRow): SessionSource | null {
  const reading = sessionSourceFromStored(parsedJson(textIn(row, "origin_json")));
  if (reading.ok) return reading.source;
  const platform = platformFrom(row["source"]);
  const chatId = textIn(row, "chat_id");
  if (platform === null || chatId === null) return null;
  return sessionSource({
    platform,
    chatId,
    chatType: textIn(row, "chat_type"),
    userId: textIn(row, "user_id"),
    threadId: textIn(row, "thread_id"),
  });
}

/** One person under one key, whatever id an older build filed the lane under (lifecycle 4.5, 4.7). */
function canonicalKey(key: SessionKey, origin: SessionSource | null, rules: KeyRules): SessionKey {
  if (origin?.platform !== "whatsapp") return key;
  return legacySessionKeys(origin, rules).includes(key) ? buildSessionKey(origin, rules) : key;
}

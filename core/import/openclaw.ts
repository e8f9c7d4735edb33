import { existsSync, readdirSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { asSessionId } from "../contract/ids.ts";
import { jsonMembers } from "../sessions/json-members.ts";
import { isUnsafeSessionId, isUnsafeSessionKey } from "../sessions/path-safety.ts";
import type { KeyRules } from "../sessions/session-key.ts";
import { isJsonObject } from "../sessions/stored-json.ts";
import { breather } from "./breather.ts";
import type { Breather } from "./breather.ts";
import { parsedJson } from "./content-text.ts";
import { noFacts } from "./import-source.ts";
import type { Findings, ImportSource, SourceMessage, SourceSession } from "./import-source.ts";
import { openClawLane } from "./openclaw-entry.ts";
import type { OpenClawLane } from "./openclaw-entry.ts";
import { outlineOf, transcriptMessages } from "./openclaw-transcript.ts";
import type { TranscriptOutline } from "./openclaw-transcript.ts";

/** The folders of an installation that hold sessions: the one given, or those of its agents. */
export function sessionFolders(dir: string): string[] {
  const own = [dir, join(dir, "sessions")].filter((folder) => holdsSessions(folder));
  if (own.length > 0) return own.slice(0, 1);
  const agents = join(dir, "agents");
  if (!existsSync(agents)) return [];
  return readdirSync(agents)
    .toSorted()
    .map((agent) => join(agents, agent, "sessions"))
    .filter((folder) => holdsSessions(folder));
}

const holdsSessions = (folder: string): boolean =>
  existsSync(join(folder, "sessions.json")) ||
  (existsSync(folder) && statSync(folder).isDirectory() && transcriptsIn(folder).length > 0);

const transcriptsIn = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith(".jsonl"))
    .toSorted();

interface Reader {
  rules: KeyRules;
  findings: Findings;
  breathe: Breather;
}

interface Folder {
  folder: string;
  lanes: OpenClawLane[];
  /** Transcripts that no lane names. */
  orphans: string[];
}

/** Opens an OpenClaw installation: `sessions.json` and one JSONL file a session. Reads only; keeps no transcript in memory. */
export async function openOpenClaw(
  dir: string,
  rules: KeyRules,
  findings: Findings,
): Promise<ImportSource> {
  const breathe = breather();
  const reader: Reader = { rules, findings, breathe };
  const folders: Folder[] = [];
  for (const folder of sessionFolders(dir)) folders.push(await readFolder(folder, reader));
  const lanes = folders.reduce((sum, each) => sum + each.lanes.length, 0);
  return {
    kind: "openclaw",
    lanes,
    total: lanes + folders.reduce((sum, each) => sum + each.orphans.length, 0),
    async *sessions() {
      for (const { folder, lanes: own, orphans } of folders) {
        for (const lane of own) yield laneSession(folder, lane, reader);
        for (const name of orphans) {
          const session = await orphanSession(folder, name, reader);
          if (session) yield session;
        }
      }
    },
    close: () => Promise.resolve(),
  };
}

async function readFolder(folder: string, reader: Reader): Promise<Folder> {
  const lanes = await readIndex(join(folder, "sessions.json"), reader);
  const files = new Set(transcriptsIn(folder));
  for (const lane of lanes) files.delete(lane.files.find((name) => files.has(name)) ?? "");
  const others = readdirSync(folder).filter((name) => /\.jsonl\./.test(name));
  for (const name of others)
    reader.findings.skip(
      name,
      "an archived transcript, which its own gateway had taken out of use",
    );
  return { folder, lanes, orphans: [...files] };
}

async function readIndex(
  file: string,
  { rules, findings, breathe }: Reader,
): Promise<OpenClawLane[]> {
  const lanes: OpenClawLane[] = [];
  const sessions = new Map<string, string>();
  if (!existsSync(file)) return lanes;
  const members = jsonMembers(await readFile(file, "utf8"));
  for (;;) {
    await breathe();
    const step = members.next();
    if (step.done === true) {
      if (!step.value)
        findings.partial(
          "sessions.json",
          `the file is cut or damaged; ${lanes.length} of its records could be read`,
        );
      return lanes;
    }
    const { key, raw, whole } = step.value;
    const record = parsedJson(raw);
    const lane =
      isJsonObject(record) && !isUnsafeSessionKey(key)
        ? openClawLane(key, record, whole, rules)
        : null;
    if (!lane || isUnsafeSessionId(lane.entry.sessionId)) {
      findings.skip(key, "its record names no session, or an unsafe one");
      continue;
    }
    const other = sessions.get(lane.entry.sessionId);
    if (other !== undefined) {
      findings.skip(key, `it shares its session with ${other}`);
      continue;
    }
    sessions.set(lane.entry.sessionId, key);
    if (!whole)
      findings.partial(key, "the file ends inside its record; where its replies went is not known");
    lanes.push(lane);
  }
}

async function laneSession(
  folder: string,
  lane: OpenClawLane,
  reader: Reader,
): Promise<SourceSession> {
  const { entry } = lane;
  const name = lane.files.find((file) => existsSync(join(folder, file)));
  const file = name === undefined ? null : join(folder, name);
  if (file === null)
    reader.findings.partial(entry.sessionKey, "its transcript is not in the folder");
  const outline = file === null ? null : await outlined(file, name ?? "", reader);
  return {
    id: entry.sessionId,
    key: entry.sessionKey,
    entry,
    aliases: lane.aliases,
    origin: entry.origin,
    platform: entry.platform ?? "local",
    title: outline?.name ?? null,
    displayName: lane.title,
    startedAt: outline?.startedAt ?? entry.createdAtMs,
    parentId: null,
    modelConfig: null,
    facts: {
      ...noFacts,
      inputTokens: entry.inputTokens,
      outputTokens: entry.outputTokens,
      cacheReadTokens: entry.cacheReadTokens,
      cacheWriteTokens: entry.cacheWriteTokens,
    },
    messages: (after) => messagesBehind(file, outline, after, reader.breathe),
  };
}

async function orphanSession(
  folder: string,
  name: string,
  reader: Reader,
): Promise<SourceSession | null> {
  const { findings } = reader;
  const file = join(folder, name);
  const outline = await outlined(file, name, reader);
  if (!outline || (outline.id === null && outline.messages === 0)) {
    findings.skip(name, "it is no transcript");
    return null;
  }
  const id = outline.id ?? name.slice(0, -".jsonl".length);
  if (isUnsafeSessionId(id)) {
    findings.skip(name, "its session's id is not safe");
    return null;
  }
  findings.partial(
    name,
    "no record of sessions.json leads to it: it can be attached to a lane by hand",
  );
  return {
    id: asSessionId(id),
    key: null,
    entry: null,
    aliases: [],
    origin: null,
    platform: "local",
    title: outline.name,
    displayName: null,
    startedAt: outline.startedAt ?? 0,
    parentId: null,
    modelConfig: null,
    facts: noFacts,
    messages: (after) => messagesBehind(file, outline, after, reader.breathe),
  };
}

/** A transcript's shape, with what is wrong with it told; null where it cannot be read at all. */
async function outlined(
  file: string,
  name: string,
  { findings, breathe }: Reader,
): Promise<TranscriptOutline | null> {
  try {
    const outline = await outlineOf(file, breathe);
    if (outline.halfLineBytes > 0)
      findings.partial(name, `its last ${outline.halfLineBytes} bytes are half a line`);
    if (outline.badLines > 0)
      findings.partial(name, `${outline.badLines} of its lines could not be read`);
    return outline;
  } catch (cause) {
    findings.skip(name, cause instanceof Error ? cause.message : "it could not be read");
    return null;
  }
}

async function* messagesBehind(
  file: string | null,
  outline: TranscriptOutline | null,
  after: string | null,
  breathe: Breather,
): AsyncGenerator<SourceMessage, boolean> {
  if (file === null || outline === null) return true;
  let isBehind = after === null;
  for await (const message of transcriptMessages(file, outline, breathe)) {
    if (isBehind) yield message;
    else if (message.ref === after) isBehind = true;
  }
  return isBehind;
}

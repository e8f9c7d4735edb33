import { existsSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { SignalboxError } from "../contract/errors.ts";
import { jsonMembers } from "../sessions/json-members.ts";
import type { KeyRules } from "../sessions/session-key.ts";
import { isJsonObject } from "../sessions/stored-json.ts";
import { parsedJson } from "./content-text.ts";
import { openHermes } from "./hermes.ts";
import type { Findings, ImportSource } from "./import-source.ts";
import { openOpenClaw, sessionFolders } from "./openclaw.ts";

export interface OpenSourceDeps {
  dir: string;
  /** Our own data, which is no source. */
  dataDir: string;
  rules: KeyRules;
  findings: Findings;
}

/**
 * Opens the installation in a folder, whichever of the two it is.
 * @throws {SignalboxError} E_NOT_FOUND where there is no such folder, E_INPUT where there is nothing in it to import.
 */
export async function openSource({
  dir,
  dataDir,
  rules,
  findings,
}: OpenSourceDeps): Promise<ImportSource> {
  const whole = resolve(dir);
  if (!existsSync(whole) || !statSync(whole).isDirectory())
    throw new SignalboxError("E_NOT_FOUND", `There is no folder ${whole}.`, { field: "dir" });
  if (existsSync(join(whole, "owner.db")) || whole === resolve(dataDir))
    throw new SignalboxError(
      "E_INPUT",
      `${whole} is a Signalbox data directory itself: use it with --data, there is nothing to import.`,
      { field: "dir" },
    );
  const home =
    basename(whole) === "sessions" && existsSync(join(dirname(whole), "state.db"))
      ? dirname(whole)
      : whole;
  if (existsSync(join(home, "state.db")) || (await hasHermesIndex(home)))
    return openHermes(home, join(dataDir, "import"), rules, findings);
  if (sessionFolders(whole).length > 0) return openOpenClaw(whole, rules, findings);
  throw new SignalboxError(
    "E_INPUT",
    `Nothing to import was found in ${whole}. It should hold sessions.json with state.db, or sessions.json with <id>.jsonl files.`,
    { field: "dir" },
  );
}

/** Whether the index is of the first reference: its records call themselves by `session_key`. */
async function hasHermesIndex(dir: string): Promise<boolean> {
  for (const file of [join(dir, "sessions.json"), join(dir, "sessions", "sessions.json")]) {
    if (!existsSync(file)) continue;
    for (const { key, raw } of jsonMembers(await readFile(file, "utf8"))) {
      if (key.startsWith("_")) continue;
      const record = parsedJson(raw);
      return isJsonObject(record) && Object.hasOwn(record, "session_key");
    }
  }
  return false;
}

import { readFileSync, unwatchFile, watchFile } from "node:fs";
import { join } from "node:path";
import type { Problem } from "../contract/domain.ts";
import { SignalboxError } from "../contract/errors.ts";
import { systemCode, writePrivateFile } from "../state/private-file.ts";
import { editConfig } from "./edit-config.ts";
import {
  readConfig,
  resolveSecrets,
  secretName,
  valueAt,
  type ConfigReading,
  type Finding,
} from "./read-config.ts";
import { configSchema, isSecretPath, type Config } from "./schema.ts";
import { openSecrets, type Cipher } from "./secrets.ts";

/** One stat a second notices an edit soon enough; watching the directory would wake us for every database write. */
const WATCH_MS = 1000;

export interface OpenConfigOptions {
  cipher?: Cipher;
  /** Told every secret in force, before anything else can log it. */
  onSecret?: (value: string) => void;
  /** How often the file is looked at for outside edits, in milliseconds; 0 = never. Default 1000. */
  watchMs?: number;
}

export interface OpenConfig {
  /** The settings in force, secrets resolved: never hand it to a client as it is. Replaced whole by a change. */
  readonly value: Config;
  /** What is wrong with the file, worst first. */
  readonly problems: Problem[];
  /** True while the file is wrong and the last good settings, or the defaults, are in force instead. */
  readonly safeMode: boolean;
  readonly file: string;
  /**
   * A setting or section as clients may see it: secrets are `{ hasKey }`.
   *
   * @throws {SignalboxError} E_NOT_FOUND for a path that is no setting.
   */
  get(path?: string): unknown;
  /** What `get(path)` says where the file says nothing; null for an entry that a person named. */
  defaults(path?: string): unknown;
  /**
   * Changes one setting in the file; null removes it. Secrets go to the secret store, the file gets their name.
   *
   * @returns What `get(path)` says afterwards.
   * @throws {SignalboxError} E_INPUT for a value or path that does not fit (details.field); E_CONFIG while the file
   *   is wrong (details: line, column); E_READ_ONLY, E_STORE_FULL.
   */
  set(path: string, value: unknown): unknown;
  /** Reads the file again, now. */
  reload(): void;
  /** Called after settings or problems changed, with the path that was set or `""`; returns its undo. */
  onChange(listener: (path: string) => void): () => void;
  close(): void;
}

/**
 * Opens `<data>/config.yaml`. A missing file is all defaults. A wrong one means safe mode: the last good settings
 * (`config.last-good.yaml`) or the defaults, and nothing on disk changes until it is right. Never throws.
 */
export function openConfig(dataDir: string, options: OpenConfigOptions = {}): OpenConfig {
  const file = join(dataDir, "config.yaml");
  const lastGoodFile = join(dataDir, "config.last-good.yaml");
  const secrets = openSecrets(dataDir, options.cipher);
  const listeners = new Set<(path: string) => void>();
  let text: string | null = null;
  let value: Config = configSchema.parse({});
  let problems: Problem[] = [];
  let safeMode = false;

  function tellSecrets(config: Config): void {
    resolveSecrets(config, [], (_path, secret) => {
      if (typeof secret === "string") options.onSecret?.(secret);
      return secret;
    });
  }

  function load(): void {
    const found = readText(file);
    text = found.text;
    if (found.problem !== null) {
      fallBack([found.problem]);
      return;
    }
    const reading = readConfig(text ?? "", secrets.get);
    if (!reading.ok) {
      fallBack(reading.findings.map(({ problem }) => problem));
      return;
    }
    value = reading.config;
    problems = reading.findings.map(({ problem }) => problem);
    safeMode = false;
    tellSecrets(value);
    keepAsLastGood();
  }

  function keepAsLastGood(): void {
    if (text === null || readText(lastGoodFile).text === text) return;
    try {
      writePrivateFile(lastGoodFile, text);
    } catch {
      // A convenience for a bad day: not worth failing a good one.
    }
  }

  function fallBack(found: Problem[]): void {
    const lastGood = readText(lastGoodFile).text;
    const reading = lastGood === null ? null : readConfig(lastGood, secrets.get);
    const usable = reading?.ok === true;
    value = usable ? reading.config : configSchema.parse({});
    safeMode = true;
    tellSecrets(value);
    const instead = usable ? "the last good settings" : "the default settings";
    problems = [
      {
        code: "config.safe_mode",
        message: `The settings file is wrong, so ${instead} are in force. Nothing is changed on disk until it is right.`,
        where: file,
        remedy: "Correct the file: it is read again as soon as it is saved.",
      },
      ...found,
    ];
  }

  const changed = (path: string): void => {
    for (const listener of listeners) listener(path);
  };
  function reload(): void {
    const before = JSON.stringify([value, problems]);
    load();
    if (JSON.stringify([value, problems]) !== before) changed("");
  }
  const get = (path = ""): unknown => {
    const parts = splitPath(path);
    const found = valueAt(withoutSecrets(value), parts);
    if (found === undefined && parts.length > 0)
      throw new SignalboxError("E_NOT_FOUND", `There is no setting ${path}.`, { field: path });
    return found ?? null;
  };

  load();
  const watchMs = options.watchMs ?? WATCH_MS;
  const noticed = (): void => {
    if (readText(file).text !== text) reload();
  };
  if (watchMs > 0) watchFile(file, { interval: watchMs, persistent: false }, noticed);

  return {
    get value() {
      return value;
    },
    get problems() {
      return problems;
    },
    get safeMode() {
      return safeMode;
    },
    file,
    get,
    defaults: (path = "") =>
      valueAt(withoutSecrets(configSchema.parse({})), splitPath(path)) ?? null,
    set(path, wanted) {
      const parts = splitPath(path);
      if (parts.length === 0 || parts.includes("") || isInsideSecret(parts))
        throw new SignalboxError("E_INPUT", "Name the setting, e.g. log.level.", { field: "path" });
      const current = readText(file);
      if (current.problem !== null) throw configError(current.problem);
      const before = readConfig(current.text ?? "", secrets.get);
      if (!before.ok) throw wrongFile(before.findings);

      const added = new Map<string, string>();
      const written = moveSecrets(before.document.toJS(), parts, wanted, added);
      const next = editConfig(current.text ?? "", parts, written);
      const after = readConfig(next, (name) => added.get(name) ?? secrets.get(name));
      refuseIfWorse(before, after, parts);

      // New secrets before the file that names them, old ones after it: a crash between leaves one too many.
      for (const secret of added.values()) options.onSecret?.(secret);
      if (added.size > 0) secrets.set(added);
      writePrivateFile(file, next);
      const dropped = droppedSecrets(before, after);
      if (dropped.size > 0) secrets.set(dropped);
      load();
      changed(path);
      return wanted === null || wanted === undefined ? removedView(get, path) : get(path);
    },
    reload,
    onChange(listener) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    close() {
      listeners.clear();
      if (watchMs > 0) unwatchFile(file, noticed);
    },
  };
}

/** Settings as clients may see them: of a secret only whether it is there. */
const withoutSecrets = (config: Config): unknown =>
  resolveSecrets(config, [], (_path, secret) => ({ hasKey: secret !== null }));

const splitPath = (path: string): string[] => (path === "" ? [] : path.split("."));

/** The default that holds now; null where a removed entry is simply gone. */
function removedView(get: (path: string) => unknown, path: string): unknown {
  try {
    return get(path);
  } catch {
    return null;
  }
}

const isInsideSecret = (path: string[]): boolean =>
  path.some((_part, at) => at > 0 && isSecretPath(path.slice(0, at)));

/**
 * Takes secrets out of what is to be written and notes them in `added` by name.
 * What a client reads back, `{ hasKey: true }`, means: as it was.
 */
function moveSecrets(
  old: unknown,
  path: string[],
  wanted: unknown,
  added: Map<string, string>,
): unknown {
  if (wanted === null || wanted === undefined) return null;
  return resolveSecrets(wanted, path, (at, value) => {
    if (typeof value === "string" && value !== "") {
      const name = at.join(".");
      added.set(name, value);
      return { secret: name };
    }
    if (typeof value === "object" && value !== null && "hasKey" in value)
      return value.hasKey === true ? (valueAt(old, at) ?? null) : null;
    return value === "" ? null : value;
  });
}

/** Names that the file used and no longer uses, each to be forgotten. */
function droppedSecrets(before: ConfigReading, after: ConfigReading): Map<string, null> {
  const now = namedSecrets(after);
  const gone = [...namedSecrets(before)].filter((name) => !now.has(name));
  return new Map(gone.map((name) => [name, null]));
}

function namedSecrets(reading: ConfigReading): Set<string> {
  const names = new Set<string>();
  if (!reading.ok) return names;
  resolveSecrets(reading.document.toJS(), [], (_at, value) => {
    const name = secretName(value);
    if (name !== null) names.add(name);
    return value;
  });
  return names;
}

function refuseIfWorse(before: ConfigReading, after: ConfigReading, path: string[]): void {
  if (!after.ok) {
    const fault = after.findings.find((finding) => finding.fatal) ?? after.findings[0];
    throw unfit(fault, path);
  }
  const known = new Set(before.findings.map(({ problem }) => problem.message));
  const fault = after.findings.find(
    ({ problem }) =>
      (problem.code === "config.value" || problem.code === "config.unknown_key") &&
      !known.has(problem.message),
  );
  if (fault !== undefined) throw unfit(fault, path);
}

function unfit(fault: Finding | undefined, path: string[]): SignalboxError {
  const message = fault?.problem.message ?? "That does not fit.";
  const said =
    fault?.problem.code === "config.unknown_key"
      ? `${fault.path.join(".")} is not a setting of this version.`
      : message;
  return new SignalboxError("E_INPUT", said.replace(/ The default, .* is used\.$/, ""), {
    field: (fault?.path.length ?? 0) > 0 ? (fault?.path.join(".") ?? "") : path.join("."),
    remedy: fault?.problem.remedy ?? null,
  });
}

function wrongFile(findings: readonly Finding[]): SignalboxError {
  const first = findings.find((finding) => finding.fatal) ?? findings[0];
  const said = first === undefined ? "" : ` ${first.problem.where}: ${first.problem.message}`;
  return new SignalboxError(
    "E_CONFIG",
    `The settings file is wrong, so nothing is written to it. Correct it first.${said}`,
    {
      line: first?.line ?? null,
      column: first?.column ?? null,
      field: first === undefined || first.path.length === 0 ? null : first.path.join("."),
      remedy: first?.problem.remedy ?? null,
    },
  );
}

const configError = (problem: Problem): SignalboxError =>
  new SignalboxError("E_CONFIG", problem.message, { remedy: problem.remedy });

/** @returns null text for a file that is not there, which is as good as an empty one. */
function readText(file: string): { text: string | null; problem: Problem | null } {
  try {
    return { text: readFileSync(file, "utf8"), problem: null };
  } catch (cause) {
    const code = systemCode(cause);
    if (code === "ENOENT") return { text: null, problem: null };
    return {
      text: null,
      problem: {
        code: "config.unreadable",
        message: `The settings file cannot be read (${code ?? "unknown reason"}).`,
        where: file,
        remedy: "Check that it is a file and that you may read it.",
      },
    };
  }
}

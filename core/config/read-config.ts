import { isMap, isNode, isScalar, LineCounter, parseDocument, type Document } from "yaml";
import type { z } from "zod";
import type { Problem } from "../contract/domain.ts";
import { configSchema, isIgnoredTimer, isSecretPath, type Config } from "./schema.ts";

/** What is wrong, with its place; `fatal` makes the whole file wrong. */
export interface Finding {
  problem: Problem;
  fatal: boolean;
  path: string[];
  line: number | null;
  column: number | null;
}

export type ConfigReading =
  | { ok: true; config: Config; findings: Finding[]; document: Document }
  | { ok: false; findings: Finding[] };

/** A larger file is no settings file. */
const MAX_BYTES = 1024 * 1024;

/**
 * Reads settings from YAML. Never throws.
 *
 * A wrong yes/no or number, and an unknown key, are reported and cost only themselves; bad YAML, a section of the
 * wrong kind or a wrong word make the file wrong (`ok: false`).
 *
 * @param secretOf The stored secret of that name, or null.
 */
export function readConfig(text: string, secretOf: (name: string) => string | null): ConfigReading {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const at = (path: readonly string[], offset?: number): Pick<Finding, "line" | "column"> => {
    const place = offset ?? offsetOf(document, path);
    if (place === null) return { line: null, column: null };
    const { line, col } = lines.linePos(place);
    return { line, column: col };
  };
  const find = (
    path: string[],
    fatal: boolean,
    code: string,
    message: string,
    remedy: string,
    offset?: number,
  ): Finding => {
    const place = at(path, offset);
    const where =
      place.line === null
        ? "config.yaml"
        : `config.yaml, line ${place.line}, column ${place.column}`;
    return { problem: { code, message, where, remedy }, fatal, path, ...place };
  };

  if (Buffer.byteLength(text) > MAX_BYTES) {
    const remedy = "Keep the settings under 1 MiB.";
    return {
      ok: false,
      findings: [find([], true, "config.syntax", "The file is too large.", remedy)],
    };
  }
  if (document.errors.length > 0) {
    const findings = document.errors.map((error) =>
      find(
        [],
        true,
        "config.syntax",
        `This is not valid YAML: ${firstLine(error.message)}.`,
        "Correct this line. Check the indentation, quotes and colons around it.",
        error.pos[0],
      ),
    );
    return { ok: false, findings };
  }
  let raw: unknown;
  try {
    raw = document.toJS() ?? {};
  } catch {
    const remedy = "Remove aliases (*name) that repeat each other.";
    return { ok: false, findings: [find([], true, "config.syntax", "Too many aliases.", remedy)] };
  }

  const findings: Finding[] = [];
  raw = resolveSecrets(raw, [], (path, value) => {
    const field = path.join(".");
    const remedy = `Set it with: signalbox config set ${field} VALUE (it is then kept apart from this file).`;
    if (typeof value === "string") {
      const message = `${field} is written here in clear. It works, but everyone who sees the file sees it.`;
      if (value !== "") findings.push(find(path, false, "config.secret_in_file", message, remedy));
      return value === "" ? null : value;
    }
    const name = secretName(value);
    if (name === null) return value; // nothing, or something that the schema will refuse
    const stored = secretOf(name);
    const message = `${field} names the secret "${name}", which is not in the secret store.`;
    if (stored === null) findings.push(find(path, false, "config.secret_missing", message, remedy));
    return stored;
  });

  // Each round takes out what costs only itself, so that its default is used; two rounds are the rule.
  for (let round = 0; round < 10; round++) {
    const parsed = configSchema.safeParse(raw);
    if (parsed.success) {
      hookFindings(parsed.data, findings, find);
      return { ok: true, config: parsed.data, findings: inOrder(findings), document };
    }
    let removed = false;
    for (const issue of parsed.error.issues)
      for (const { path, ...said } of tell(issue, raw)) {
        if (said.silent !== true)
          findings.push(find(path, said.fatal, said.code, said.message, said.remedy));
        if (!said.fatal) removed = removeAt(raw, path) || removed;
      }
    if (findings.some((finding) => finding.fatal) || !removed) break;
  }
  return { ok: false, findings: inOrder(findings) };
}

/** What makes the file wrong first, then from top to bottom. */
const inOrder = (findings: readonly Finding[]): Finding[] =>
  findings.toSorted(
    (a, b) =>
      Number(b.fatal) - Number(a.fatal) ||
      (a.line ?? 0) - (b.line ?? 0) ||
      (a.column ?? 0) - (b.column ?? 0),
  );

interface Said {
  path: string[];
  fatal: boolean;
  code: string;
  message: string;
  remedy: string;
  silent?: boolean;
}

/** One zod issue in a person's words. */
function tell(issue: z.core.$ZodIssue, raw: unknown): Said[] {
  const path = issue.path.map(String);
  if (issue.code === "unrecognized_keys")
    return issue.keys.map((key) => {
      const whole = [...path, key];
      return {
        path: whole,
        fatal: false,
        code: "config.unknown_key",
        message: `${whole.join(".")} is not a setting of this version; it is ignored.`,
        remedy: "Check its spelling and indentation, or remove the line.",
        silent: isIgnoredTimer(whole),
      };
    });
  const field = path.join(".") || "The file";
  const found = isSecretPath(path) ? "(secret)" : valueAt(raw, path);
  if (issue.code === "custom" && issue.params?.["tolerated"] === true)
    return [
      {
        path,
        fatal: false,
        code: "config.value",
        message: `${field}: ${shown(found)} ${issue.message}. The default, ${shown(issue.params["fallback"])}, is used.`,
        remedy: String(issue.params["remedy"]),
      },
    ];
  return [{ path, fatal: true, code: "config.value", ...fatalWords(issue, field, found) }];
}

function fatalWords(
  issue: z.core.$ZodIssue,
  field: string,
  found: unknown,
): Pick<Said, "message" | "remedy"> {
  if (found === undefined)
    return { message: `${field} is missing.`, remedy: `Add ${field}, or remove the whole entry.` };
  if (issue.code === "invalid_value") {
    const words = issue.values.map(String).join(", ");
    return {
      message: `${field}: ${shown(found)} is not one of ${words}.`,
      remedy: `Write one of ${words}.`,
    };
  }
  if (issue.code === "invalid_type") {
    const wanted =
      issue.expected === "object" || issue.expected === "record"
        ? "a section"
        : `a ${issue.expected}`;
    return {
      message: `${field}: ${shown(found)} is not ${wanted}.`,
      remedy:
        wanted === "a section"
          ? "Write its settings on indented lines below it, each as `name: value`."
          : `Write ${wanted}.`,
    };
  }
  if (issue.code === "invalid_key")
    return {
      message: `${field} is not a usable id.`,
      remedy: issue.issues[0]?.message ?? "Choose another id.",
    };
  return { message: `${field}: ${shown(found)} ${issue.message}.`, remedy: "Correct the value." };
}

function hookFindings(
  config: Config,
  findings: Finding[],
  find: (path: string[], fatal: boolean, code: string, message: string, remedy: string) => Finding,
): void {
  for (const [name, hook] of Object.entries(config.channels.webhook)) {
    const path = ["channels", "webhook", name, "secret"];
    const told = findings.some((finding) => finding.path.join(".") === path.join("."));
    if (!hook.enabled || hook.secret !== null || told) continue;
    findings.push(
      find(
        path,
        false,
        "config.secret_missing",
        `The webhook "${name}" has no secret, so it refuses every message.`,
        `Set it with: signalbox config set ${path.join(".")} VALUE`,
      ),
    );
  }
}

/** A value as a person may see it in a message: short, and never a whole section. */
function shown(value: unknown): string {
  if (typeof value === "object" && value !== null)
    return Array.isArray(value) ? "a list" : "a section";
  if (value === undefined) return "nothing";
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 57)}…"` : text;
}

const firstLine = (text: string): string =>
  (text.split("\n")[0] ?? text).replace(/ at line \d+.*$/, "").replace(/[:.]+$/, "");

/** Where a path stands in the text: at its key, or at the nearest part of it that is there. */
function offsetOf(document: Document, path: readonly string[]): number | null {
  let node: unknown = document.contents;
  let found = isNode(node) ? (node.range?.[0] ?? null) : null;
  for (const part of path) {
    if (!isMap(node)) break;
    const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === part);
    if (pair === undefined) break;
    if (isScalar(pair.key)) found = pair.key.range?.[0] ?? found;
    node = pair.value;
  }
  return found;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The name in `{ secret: name }`, or null for anything else. */
export function secretName(value: unknown): string | null {
  if (!isRecord(value) || Object.keys(value).length !== 1) return null;
  return typeof value["secret"] === "string" ? value["secret"] : null;
}

/** The member of nested plain objects at `path`; undefined where there is none. */
export function valueAt(value: unknown, path: readonly string[]): unknown {
  let at = value;
  for (const part of path) {
    if (!isRecord(at) || !Object.hasOwn(at, part)) return undefined;
    at = at[part];
  }
  return at;
}

function removeAt(root: unknown, path: readonly string[]): boolean {
  const parent = valueAt(root, path.slice(0, -1));
  const last = path.at(-1);
  if (!isRecord(parent) || last === undefined || !Object.hasOwn(parent, last)) return false;
  return Reflect.deleteProperty(parent, last);
}

/** A copy in which `change` has replaced what stands at every secret's place; other values are as they were. */
export function resolveSecrets(
  value: unknown,
  path: string[],
  change: (path: string[], value: unknown) => unknown,
): unknown {
  if (isSecretPath(path)) return change(path, value ?? null);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      resolveSecrets(member, [...path, key], change),
    ]),
  );
}

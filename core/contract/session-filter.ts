import type { SessionRow, SessionState } from "./domain.ts";

/** States in which a session waits for a person: the "Needs me" segment and `state:needs-me`. */
export const needsMeStates: readonly SessionState[] = ["stuck", "failed", "waiting"];

/** One condition; all terms of a filter must hold. `not` is a leading `-`. Texts are lower-cased. */
export type SessionTerm =
  /** The shown state is one of these. */
  | { kind: "state"; states: SessionState[]; not: boolean }
  /** The channel's id or the platform equals this. */
  | { kind: "channel"; value: string; not: boolean }
  /** The agent's id equals this. */
  | { kind: "agent"; value: string; not: boolean }
  /** The key contains this. */
  | { kind: "key"; value: string; not: boolean }
  /** Time since the last activity is longer (`>`) or shorter (`<`) than `ms`. */
  | { kind: "idle"; op: ">" | "<"; ms: number; not: boolean }
  /** Title or key contains this. */
  | { kind: "word"; value: string; not: boolean };

export type FilterProblem =
  "unknown_field" | "unknown_state" | "bad_duration" | "missing_value" | "open_quote";

/** What is wrong and where: `at` and `length` are UTF-16 offsets into the filter's text. */
export interface FilterError {
  problem: FilterProblem;
  at: number;
  length: number;
  /** The words at fault, as typed. */
  text: string;
  /** A plain English sentence, for the command line and logs; the panel translates `problem`. */
  message: string;
}

export type SessionFilter = { ok: true; terms: SessionTerm[] } | { ok: false; error: FilterError };

interface Token {
  at: number;
  raw: string;
  /** Null for a bare word or phrase. */
  field: string | null;
  value: string;
  valueAt: number;
  not: boolean;
}

const UNIT_MS: Record<string, number> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** By name, and a type error where a state is missing; `domain.ts` itself would bring zod into the page. */
const stateNames = Object.keys({
  stuck: true,
  failed: true,
  waiting: true,
  suspended: true,
  running: true,
  queued: true,
  resume_pending: true,
  idle: true,
} satisfies Record<SessionState, true>) as SessionState[];

/** Fields of the grammar, in the order in which help lists them. */
export const filterFields = ["state", "channel", "agent", "key", "idle"] as const;

class Fault extends Error {
  readonly error: FilterError;
  constructor(problem: FilterProblem, at: number, text: string, message: string) {
    super(message);
    this.error = { problem, at, length: Math.max(1, text.length), text, message };
  }
}

/**
 * Reads the filter grammar of the Sessions view (ux.md 3): `state:suspended channel:telegram agent:main key:41
 * idle:>1h words "a phrase" -state:idle`. `state` takes a list (`failed,stuck`) and `needs-me`; `idle` takes
 * s, m, h, d, w and means `>` where no sign is given. A whole session key (`agent:main:telegram:dm:41`) is a `key`
 * term, so that a key can be pasted; `-` before a digit negates nothing (chat ids begin so). Nothing typed means no terms.
 *
 * @returns The terms in the order typed, or the first fault with its place; never throws.
 */
export function parseSessionFilter(text: string): SessionFilter {
  try {
    return { ok: true, terms: tokens(text).map(term) };
  } catch (thrown) {
    if (thrown instanceof Fault) return { ok: false, error: thrown.error };
    throw thrown;
  }
}

function tokens(text: string): Token[] {
  const found: Token[] = [];
  let at = 0;
  while (at < text.length) {
    if (/\s/.test(text.charAt(at))) {
      at += 1;
      continue;
    }
    const token = tokenAt(text, at);
    found.push(token);
    at += token.raw.length;
  }
  return found;
}

function tokenAt(text: string, start: number): Token {
  let at = start;
  const not = /^-[^\s\d]/.test(text.slice(at)); // "-1001234" is a chat id, not "without 1001234"
  if (not) at += 1;
  const head = /^[A-Za-z_]+:/.exec(text.slice(at))?.[0] ?? "";
  const valueAt = at + head.length;
  const { value, end } = valueFrom(text, valueAt);
  return {
    at: start,
    raw: text.slice(start, end),
    field: head === "" ? null : head.slice(0, -1).toLowerCase(),
    value,
    valueAt,
    not,
  };
}

function valueFrom(text: string, at: number): { value: string; end: number } {
  if (text.charAt(at) === '"') {
    const close = text.indexOf('"', at + 1);
    if (close < 0)
      throw new Fault("open_quote", at, text.slice(at), `The quote at ${at + 1} is never closed.`);
    return { value: text.slice(at + 1, close), end: close + 1 };
  }
  const value = /^\S*/.exec(text.slice(at))?.[0] ?? "";
  return { value, end: at + value.length };
}

function term(token: Token): SessionTerm {
  const { field, not, at, raw } = token;
  const value = token.value.toLowerCase();
  if (field === null) return { kind: "word", value, not };
  if (!isField(field)) {
    const known = filterFields.map((one) => `${one}:`).join(" ");
    throw new Fault("unknown_field", at, raw, `"${field}:" is not a filter. Known: ${known}`);
  }
  if (value === "")
    throw new Fault("missing_value", at, raw, `"${field}:" needs a value right after the colon.`);
  switch (field) {
    case "state":
      return { kind: "state", states: states(token), not };
    case "idle":
      return { kind: "idle", ...idle(token), not };
    case "agent":
      // A pasted session key begins with "agent:" too; agent ids hold no colon.
      if (value.includes(":")) return { kind: "key", value: `agent:${value}`, not };
      return { kind: "agent", value, not };
    case "channel":
    case "key":
      return { kind: field, value, not };
  }
}

const isField = (name: string): name is (typeof filterFields)[number] =>
  (filterFields as readonly string[]).includes(name);

function states({ value, valueAt }: Token): SessionState[] {
  const chosen = new Set<SessionState>();
  let at = valueAt;
  for (const part of value.split(",")) {
    const name = part.toLowerCase().replaceAll("-", "_");
    const one = stateNames.find((state) => state === name);
    if (name === "needs_me") for (const state of needsMeStates) chosen.add(state);
    else if (name === "will_resume") chosen.add("resume_pending");
    else if (one !== undefined) chosen.add(one);
    else {
      const known = ["needs-me", ...stateNames].join(", ");
      throw new Fault("unknown_state", at, part, `"${part}" is not a state. Known: ${known}`);
    }
    at += part.length + 1;
  }
  return [...chosen];
}

function idle({ value, valueAt }: Token): { op: ">" | "<"; ms: number } {
  const [, sign, count, unit] = /^([<>]?)(\d{1,6}(?:\.\d+)?)([smhdw])$/i.exec(value) ?? [];
  const unitMs = UNIT_MS[unit?.toLowerCase() ?? ""];
  if (count === undefined || unitMs === undefined)
    throw new Fault(
      "bad_duration",
      valueAt,
      value,
      `"${value}" is not a duration. Write for example idle:>1h, idle:<30m or idle:>2d.`,
    );
  return { op: sign === "<" ? "<" : ">", ms: Math.round(Number(count) * unitMs) };
}

/** Whether a row passes every term, at `nowMs` of the gateway's clock. The database's answer must agree with this. */
export function matchesSessionFilter(
  row: SessionRow,
  terms: readonly SessionTerm[],
  nowMs: number,
): boolean {
  return terms.every((term) => holds(row, term, nowMs) !== term.not);
}

function holds(row: SessionRow, term: SessionTerm, nowMs: number): boolean {
  switch (term.kind) {
    case "state":
      return term.states.includes(row.state);
    case "channel":
      return [row.channelId, row.platform].some((name) => name?.toLowerCase() === term.value);
    case "agent":
      return row.agentId?.toLowerCase() === term.value;
    case "key":
      return row.key.toLowerCase().includes(term.value);
    case "idle": {
      const idleMs = nowMs - row.updatedAtMs;
      return term.op === ">" ? idleMs > term.ms : idleMs < term.ms;
    }
    case "word":
      return [row.title, row.key].some((text) => text.toLowerCase().includes(term.value));
  }
}

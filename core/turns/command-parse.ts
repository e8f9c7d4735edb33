import { trimBlank } from "../sessions/blank-text.ts";
import { busyModes } from "../sessions/lane-setting-store.ts";
import type { BusyMode } from "../sessions/lane-setting-store.ts";

/** What a command does while a turn runs in its lane (lifecycle 18). */
export type BusyPolicy =
  /** Runs at once; the turn goes on unless the command itself is about stopping it. */
  | "immediate"
  /** Ends the turn first, then runs. */
  | "interrupt"
  /** Answers that it cannot run in the middle of a turn. */
  | "reject";

interface CommandRule {
  readonly busy: BusyPolicy;
  /** Asks once, always or cancel where `approvals.destructive_slash_confirm` is on (lifecycle 6.1). */
  readonly destructive: boolean;
}

const immediate: CommandRule = { busy: "immediate", destructive: false };
const whenIdle: CommandRule = { busy: "reject", destructive: false };

/** Every command, by the name that is typed (lifecycle 18). */
export const commandRules = {
  new: { busy: "interrupt", destructive: true },
  reset: { busy: "interrupt", destructive: true },
  stop: immediate,
  queue: immediate,
  steer: immediate,
  busy: immediate,
  resume: whenIdle,
  sessions: whenIdle,
  retry: whenIdle,
  undo: { busy: "reject", destructive: true },
  compress: whenIdle,
  status: immediate,
  title: whenIdle,
  branch: whenIdle,
  restart: immediate,
  approve: immediate,
  deny: immediate,
  background: immediate,
  goal: immediate,
  pause: immediate,
  help: immediate,
} as const satisfies Record<string, CommandRule>;
export type CommandName = keyof typeof commandRules;

/** A command with its arguments read. Null means that the argument was not given. */
export type Command =
  | { readonly name: "new" | "reset"; readonly title: string | null }
  | { readonly name: "stop" | "retry" | "status" | "restart" | "help" }
  /** `text` may be `""`: with an attachment that is a whole message, without one a case for the usage line. */
  | { readonly name: "queue" | "steer"; readonly text: string }
  | { readonly name: "background" | "goal"; readonly text: string }
  | { readonly name: "busy"; readonly mode: BusyMode | null }
  /** A number of the last list, an id or a title; tried in that order. */
  | { readonly name: "resume"; readonly target: string | null }
  | { readonly name: "sessions"; readonly view: SessionsView }
  | { readonly name: "undo"; readonly turns: number }
  | { readonly name: "compress"; readonly preview: boolean; readonly scope: CompressScope }
  | { readonly name: "title" | "branch"; readonly title: string | null }
  /** What follows is the approval's own business (`once`, `always` …). */
  | { readonly name: "approve" | "deny"; readonly answer: string | null }
  | { readonly name: "pause"; readonly on: boolean; readonly reason: string | null };

export type SessionsView =
  | { readonly kind: "own" }
  | { readonly kind: "all" }
  | { readonly kind: "search"; readonly query: string }
  | { readonly kind: "target"; readonly target: string };

export type CompressScope =
  | { readonly kind: "whole"; readonly focus: string | null }
  /** All but the last exchanges. */
  | { readonly kind: "here"; readonly keepExchanges: number };

export type ParsedText =
  /** Not a command: a message for the agent. */
  | { readonly kind: "text" }
  | { readonly kind: "command"; readonly command: Command }
  /** Known, but its arguments make no sense; `problem` is a sentence for the sender. */
  | { readonly kind: "misused"; readonly name: CommandName; readonly problem: string }
  | { readonly kind: "unknown"; readonly name: string };

const KEPT_EXCHANGES = 2; // `/compress here` without a number (lifecycle 18)

/** A title without control characters, or null where nothing is left (lifecycle 6.1). */
export function sanitizedTitle(text: string): string | null {
  const title = trimBlank(text.replace(/\p{Cc}/gu, ""));
  return title === "" ? null : title;
}

const isCommandName = (name: string): name is CommandName => Object.hasOwn(commandRules, name);

type Arguments = Command | { readonly problem: string };

/** `/sessions [all|search q|target]` */
function sessionsView(rest: string): SessionsView | { readonly problem: string } {
  if (rest === "") return { kind: "own" };
  if (rest.toLowerCase() === "all") return { kind: "all" };
  const search = /^search(?:\s+([\s\S]*))?$/i.exec(rest);
  if (search === null) return { kind: "target", target: rest };
  const query = trimBlank(search[1] ?? "");
  return query === "" ? { problem: "Usage: /sessions search <words>" } : { kind: "search", query };
}

/** `/compress [focus]`, `/compress here [N]`, with `--preview` anywhere as a word of its own. */
function compress(rest: string): Arguments {
  const words = rest.split(/\s+/).filter((word) => word !== "");
  const preview = words.includes("--preview");
  const others = words.filter((word) => word !== "--preview");
  if (others[0]?.toLowerCase() !== "here") {
    const focus = others.length === 0 ? null : others.join(" ");
    return { name: "compress", preview, scope: { kind: "whole", focus } };
  }
  const kept = others[1] ?? String(KEPT_EXCHANGES);
  if (others.length > 2 || !/^\d{1,6}$/.test(kept))
    return { problem: "Usage: /compress here [number of exchanges to keep]" };
  return { name: "compress", preview, scope: { kind: "here", keepExchanges: Number(kept) } };
}

function readArguments(name: CommandName, rest: string): Arguments {
  const given = rest === "" ? null : rest;
  switch (name) {
    case "new":
    case "reset":
    case "title":
    case "branch":
      return { name, title: sanitizedTitle(rest) };
    case "stop":
    case "retry":
    case "status":
    case "restart":
    case "help":
      return { name };
    case "queue":
    case "steer":
    case "goal":
      return { name, text: rest };
    case "background":
      return given === null ? { problem: "Usage: /background <task>" } : { name, text: given };
    case "busy": {
      const mode = busyModes.find((candidate) => candidate === rest.toLowerCase()) ?? null;
      if (given !== null && mode === null)
        return { problem: `Usage: /busy [${busyModes.join("|")}]` };
      return { name, mode };
    }
    case "resume":
      return { name, target: given };
    case "sessions": {
      const view = sessionsView(rest);
      return "problem" in view ? view : { name, view };
    }
    case "undo":
      if (given !== null && !/^[+-]?\d{1,6}$/.test(given))
        return { problem: "Usage: /undo [number of turns]" };
      return { name, turns: Math.max(1, Number(given ?? 1)) };
    case "compress":
      return compress(rest);
    case "approve":
    case "deny":
      return { name, answer: given };
    case "pause":
      return rest.toLowerCase() === "off"
        ? { name, on: false, reason: null }
        : { name, on: true, reason: given };
  }
}

/**
 * Reads a message as a command (lifecycle 18). Names are case-insensitive; `/name@bot` is `/name`.
 *
 * A path at the start of a message (`/etc/hosts is wrong`) is text: a name ends at a blank, an `@` or the end.
 *
 * @param prefixes Besides `/`, what a platform accepts in its place because it keeps `/` for itself.
 */
export function parseCommand(text: string, prefixes: readonly string[] = []): ParsedText {
  const trimmed = trimBlank(text);
  const prefix = ["/", ...prefixes].find((start) => start !== "" && trimmed.startsWith(start));
  if (prefix === undefined) return { kind: "text" };
  const parts = /^([a-z][a-z0-9_-]*)(?:@\w+)?(?:\s+([\s\S]*))?$/i.exec(
    trimmed.slice(prefix.length),
  );
  const name = parts?.[1]?.toLowerCase();
  if (name === undefined) return { kind: "text" };
  if (!isCommandName(name)) return { kind: "unknown", name };
  const read = readArguments(name, trimBlank(parts?.[2] ?? ""));
  return "problem" in read
    ? { kind: "misused", name, problem: read.problem }
    : { kind: "command", command: read };
}

/** What a typed command does on a busy lane (lifecycle 18); names that are no command never interrupt. */
export const busyPolicy = (name: string): BusyPolicy =>
  isCommandName(name) ? commandRules[name].busy : "reject";

/** Whether the sender is asked before it runs (lifecycle 6.1). */
export const isDestructive = (name: string): boolean =>
  isCommandName(name) && commandRules[name].destructive;

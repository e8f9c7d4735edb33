import type { CallInput, CallOutput } from "../../../core/contract/calls.ts";
import type { SessionDetail, SessionRow } from "../../../core/contract/domain.ts";
import { SignalboxError } from "../../../core/contract/errors.ts";
import { asTurnId } from "../../../core/contract/ids.ts";
import {
  matchesSessionFilter,
  parseSessionFilter,
  type SessionTerm,
} from "../../../core/contract/session-filter.ts";
import { countsOf, transcriptOf, type FakeWorld } from "./fake-world.ts";

type Sort = (row: SessionRow) => string | number;
const sorts: Record<string, Sort> = {
  updated: (row) => row.updatedAtMs,
  created: (row) => row.createdAtMs,
  title: (row) => row.title.toLowerCase(),
  state: (row) => row.state,
  queue: (row) => row.queueDepth,
  tokens: (row) => row.totalTokens,
  key: (row) => row.key,
};

/** The last answer of each world, as long as nothing in it changed: the next page of a scroll costs no sorting. */
const sortedRows = new WeakMap<FakeWorld, { name: string; rows: SessionRow[] }>();

function sorted(
  world: FakeWorld,
  terms: readonly SessionTerm[],
  input: CallInput<"sessions.list">,
  nowMs: number,
): SessionRow[] {
  const name = `${input.filter} ${input.sort} ${world.rows.changes}`;
  const known = sortedRows.get(world);
  if (known?.name === name && !terms.some((term) => term.kind === "idle")) return known.rows;
  const [, descending, column = "updated"] = /^(-?)(\w+)$/.exec(input.sort ?? "-updated") ?? [];
  const value = sorts[column] ?? ((row: SessionRow) => row.updatedAtMs);
  const sign = descending === "-" ? -1 : 1;
  const rows = [...world.rows.values()]
    .filter((row) => matchesSessionFilter(row, terms, nowMs))
    .toSorted((a, b) => {
      const [left, right] = [value(a), value(b)];
      if (left === right) return a.key < b.key ? -1 : 1;
      return left < right ? -sign : sign;
    });
  sortedRows.set(world, { name, rows });
  return rows;
}

/** `sessions.list` of the fake: the same filter, sort and pages as the database gives. */
export function listSessions(
  world: FakeWorld,
  input: CallInput<"sessions.list">,
  nowMs: number,
): CallOutput<"sessions.list"> {
  const filter = parseSessionFilter(input.filter ?? "");
  if (!filter.ok) throw new SignalboxError("E_INPUT", filter.error.message, { field: "filter" });
  const found = sorted(world, filter.terms, input, nowMs);
  const from = input.offset ?? 0;
  return {
    sessions: found.slice(from, from + (input.limit ?? 100)),
    total: found.length,
    counts: countsOf(world),
    nextCursor: null,
  };
}

/** The row of a lane. @throws {SignalboxError} E_NOT_FOUND. */
export function rowOf(world: FakeWorld, key: string): SessionRow {
  const row = world.rows.get(key);
  if (row === undefined) throw new SignalboxError("E_NOT_FOUND", `No session ${key}.`);
  return row;
}

/** `sessions.get` of the fake. */
export function detailOf(world: FakeWorld, key: string): SessionDetail {
  const row = rowOf(world, key);
  const live = world.live.get(key);
  const suspended = row.state === "suspended" || row.state === "stuck";
  return {
    ...row,
    nextMessage: suspended
      ? "start_fresh"
      : row.state === "resume_pending"
        ? "continue_interrupted"
        : "continue",
    nextMessageBecause: suspended ? "suspended" : null,
    flags: suspended
      ? [
          {
            name: "suspended",
            value: row.state === "stuck" ? "stuck loop" : "by hand",
            sinceMs: row.stateSinceMs,
            by: row.state === "stuck" ? "recovery" : "panel",
            clearedBy: "the next message, or Resume",
          },
        ]
      : [],
    waiting: world.waiting.get(key) ?? [],
    origin: { platform: row.platform, chat_id: row.key.split(":").at(-1), chat_type: row.chatType },
    turn:
      live === undefined
        ? null
        : { id: asTurnId(live.id), startedAtMs: live.startedAtMs, text: live.text },
  };
}

/** `sessions.history` of the fake. */
export function historyOf(
  world: FakeWorld,
  input: CallInput<"sessions.history">,
): CallOutput<"sessions.history"> {
  const all = transcriptOf(world, rowOf(world, input.key));
  const before = all.filter((message) => input.before === undefined || message.id < input.before);
  const messages = before.slice(-(input.limit ?? 50));
  return { messages, hasMore: before.length > messages.length };
}

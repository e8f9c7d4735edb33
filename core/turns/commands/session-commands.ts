import type { SessionId } from "../../contract/ids.ts";
import type { Clock } from "../../clock.ts";
import type { IsolationRules } from "../../sessions/isolation.ts";
import type { PastSession } from "../../sessions/lineage-store.ts";
import type { SessionDirectory } from "../../sessions/session-directory.ts";
import { mayTakeUp } from "../../sessions/visibility.ts";
import type { Caller } from "../../sessions/visibility.ts";
import { participantId } from "../../sessions/session-source.ts";
import type { Database } from "../../state/database.ts";
import type { SessionsView } from "../command-parse.ts";
import type { TranscriptActs } from "../transcript-acts.ts";
import { counted, stamp } from "./asked.ts";
import type { Asked } from "./asked.ts";

export interface SessionCommandDeps {
  db: Database;
  directory: SessionDirectory;
  transcripts: TranscriptActs;
  clock: Clock;
  isolation(): IsolationRules;
}

/** Sessions in one list (lifecycle 18). */
export const listLength = 10;

/** What `/resume` may be given, and what came of it. */
export type Found = { kind: "found"; id: SessionId; title: string | null } | { kind: "none" };

/** `/resume` and `/sessions` (lifecycle 18): only sessions of the caller's own origin, unless the caller is the operator. */
export function sessionCommands(deps: SessionCommandDeps) {
  const { directory, clock } = deps;
  const { lineage, routing, messages, shownLists } = directory;

  const callerOf = (asked: Asked): Caller => ({
    key: asked.key,
    source: asked.message.source,
    isAdministrator: asked.isAdministrator,
  });

  const lastUse = (past: PastSession): number => past.lastAt ?? past.startedAt;

  /** What the caller may go into, the last used first. A session that was compressed is listed as where it goes on. */
  function visible(asked: Asked, everything = false): PastSession[] {
    const { source } = asked.message;
    const caller = callerOf(asked);
    const all =
      everything && caller.isAdministrator
        ? lineage.pastOfAll()
        : lineage.past(asked.key, source.platform, participantId(source));
    const own = { ...caller, isAdministrator: everything && caller.isAdministrator };
    const rules = deps.isolation();
    return all
      .filter((past) => past.endReason !== "compression" && mayTakeUp(past, own, rules))
      .toSorted((a, b) => lastUse(b) - lastUse(a));
  }

  async function show(
    asked: Asked,
    list: readonly PastSession[],
    heading: string,
  ): Promise<string> {
    const current = routing.get(asked.key)?.sessionId;
    await deps.db.write(() => {
      shownLists.put(
        asked.key,
        list.map((past) => past.id),
        clock.nowMs(),
      );
    });
    const lines = list.map((past, index) => {
      const here = past.id === current ? " (here)" : "";
      return `${index + 1}. ${past.title ?? past.id}${here}: ${counted(past.messageCount, "message")}, ${stamp(lastUse(past))} UTC`;
    });
    return [heading, ...lines, "/resume <number> goes into one."].join("\n");
  }

  /** A number of the last list, an id, a title: in this order (lifecycle 18). What the caller may not see is not there. */
  function find(asked: Asked, target: string): Found {
    const number = /^#?(\d{1,3})$/.exec(target.trim())?.[1];
    const shown =
      number === undefined
        ? undefined
        : (shownLists.get(asked.key) ?? titled(asked).map((past) => past.id))[Number(number) - 1];
    const past =
      (shown && lineage.pastById(shown)) ?? lineage.pastById(target) ?? lineage.pastByTitle(target);
    if (
      !past ||
      past.source === "background" ||
      !mayTakeUp(past, callerOf(asked), deps.isolation())
    )
      return { kind: "none" };
    const id = lineage.tip(past.id);
    return { kind: "found", id, title: lineage.pastById(id)?.title ?? past.title };
  }

  const titled = (asked: Asked): PastSession[] =>
    visible(asked)
      .filter((past) => past.title !== null)
      .slice(0, listLength);

  async function resume(asked: Asked, target: string | null): Promise<string> {
    if (target === null) {
      const list = titled(asked);
      if (list.length === 0)
        return "There is no titled session to go back to. /title names one, /sessions lists all of yours.";
      return show(asked, list, "Sessions with a title:");
    }
    const found = find(asked, target);
    if (found.kind === "none") return `There is no session “${target}” for you to go back to.`;
    const { changed, row } = await deps.transcripts.switchTo(asked.key, asked.actor, found.id);
    const name = found.title === null ? found.id : `“${found.title}”`;
    return changed
      ? `Back in ${name}: ${counted(row.messageCount, "message")}.`
      : `You are in ${name} already.`;
  }

  return {
    resume,
    find,
    visible,

    async sessions(asked: Asked, view: SessionsView): Promise<string> {
      switch (view.kind) {
        case "target":
          return resume(asked, view.target);
        case "all":
          if (!asked.isAdministrator) return "Only the operator can list everybody's sessions.";
          return show(
            asked,
            visible(asked, true).slice(0, listLength),
            "All sessions, newest first:",
          );
        case "own": {
          const list = visible(asked).slice(0, listLength);
          if (list.length === 0) return "There is no session yet.";
          return show(asked, list, "Your sessions, newest first:");
        }
        case "search": {
          const words = view.query.toLowerCase();
          const list = visible(asked)
            .filter(
              (past) =>
                past.title?.toLowerCase().includes(words) === true ||
                messages.contains(past.id, view.query),
            )
            .slice(0, listLength);
          if (list.length === 0) return `No session of yours mentions “${view.query}”.`;
          return show(asked, list, `Sessions that mention “${view.query}”:`);
        }
      }
    },
  };
}

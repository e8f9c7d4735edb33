import { SignalboxError } from "../contract/errors.ts";
import { asSessionId, asSessionKey } from "../contract/ids.ts";
import { agentOf } from "../journal/agent-key.ts";
import type { ParentageStore } from "../journal/parentage-store.ts";
import type { RoutingRow } from "../sessions/routing-store.ts";
import type { SessionDirectory } from "../sessions/session-directory.ts";
import { decideVisibility, denialText, generalDenial } from "./visibility.ts";
import type { VisibilityRules } from "./visibility.ts";

export interface FinderDeps {
  directory: SessionDirectory;
  parentage: ParentageStore;
  rules(): VisibilityRules;
}

export type SessionFinder = ReturnType<typeof sessionFinder>;

/** Which session a tool's argument means, and whether its requester may see it. */
export function sessionFinder({ directory, parentage, rules }: FinderDeps) {
  const { routing } = directory;

  const denialOf = (requester: string, target: string) =>
    decideVisibility(requester, target, parentage.descends(target, requester), rules());

  /** A key, an id, `current`, or `main` for the main session of the same agent. */
  function find(requester: string, given: string): RoutingRow | undefined {
    if (given === "current") return routing.get(asSessionKey(requester));
    return routing.get(asSessionKey(given)) ?? routing.bySessionId(asSessionId(given));
  }

  return {
    denialOf,
    agentOf,
    canSee: (requester: string, target: string): boolean => denialOf(requester, target) === null,
    find,
    /**
     * The session that is meant.
     * @throws {SignalboxError} E_NOT_FOUND, E_REFUSED. To a requester from whom something is hidden both read the same.
     */
    mustFind(requester: string, given: string): RoutingRow {
      const row = find(requester, given);
      const denial = row ? denialOf(requester, row.sessionKey) : null;
      if (row && denial === null) return row;
      const general = generalDenial(rules());
      if (general !== null)
        throw new SignalboxError("E_REFUSED", denialText(general), { denial: general });
      const isId = /^\d{8}_\d{6}_/.test(given);
      throw new SignalboxError(
        "E_NOT_FOUND",
        `Unknown ${isId ? "sessionId" : "sessionKey"}: ${given}`,
        { key: given },
      );
    },
  };
}

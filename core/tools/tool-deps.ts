import type { ChildRuns } from "../agents/delegations/child-runs.ts";
import type { ChildRunStore } from "../agents/delegations/child-run-store.ts";
import type { Clock } from "../clock.ts";
import type { Goals } from "../goals/goals.ts";
import type { Journal } from "../journal/journal.ts";
import type { ParentageStore } from "../journal/parentage-store.ts";
import type { Relays } from "../journal/relays.ts";
import type { SessionDirectory } from "../sessions/session-directory.ts";
import type { Database } from "../state/database.ts";
import type { InboxStore } from "../turns/inbox-store.ts";
import type { SessionFinder } from "./session-finder.ts";
import type { SessionQueryStore } from "./session-query-store.ts";
import type { SessionSends } from "./session-sends.ts";
import type { VisibilityRules } from "./visibility.ts";

/** What the session tools stand on. */
export interface ToolDeps {
  db: Database;
  directory: SessionDirectory;
  inbox: InboxStore;
  journal: Journal;
  goals: Goals;
  parentage: ParentageStore;
  query: SessionQueryStore;
  finder: SessionFinder;
  relays: Relays;
  sends: SessionSends;
  childRuns: ChildRuns;
  childRunStore: ChildRunStore;
  clock: Clock;
  rules(): VisibilityRules;
  /** Which agent answers in a session, and its model. */
  agentOf(key: string): { id: string; model: string | null } | null;
  isRunning(key: string): boolean;
  /** A session was made or changed. */
  changed(key: string): void;
}

import type { ImportReport } from "../contract/calls-data.ts";
import type { Clock } from "../clock.ts";
import type { SessionKey } from "../contract/ids.ts";
import { importStore } from "../sessions/import-store.ts";
import type { ImportMark } from "../sessions/import-store.ts";
import { isUnsafeSessionKey } from "../sessions/path-safety.ts";
import { rowOf } from "../sessions/routing-store.ts";
import { laneTitle } from "../sessions/lane-title.ts";
import type { SessionDirectory } from "../sessions/session-directory.ts";
import type { SessionEntry } from "../sessions/session-entry.ts";
import { sessionSourceToStored } from "../sessions/session-source.ts";
import type { Database } from "../state/database.ts";
import type { Findings, SourceMessage, SourceSession } from "./import-source.ts";

export interface TakeDeps {
  db: Database;
  directory: SessionDirectory;
  clock: Clock;
  kind: "hermes" | "openclaw";
  findings: Findings;
  /** Counts what would happen, and changes nothing. */
  dryRun: boolean;
  isCancelled(): boolean;
}

/** Rows in one transaction, and about how many characters. */
const batchRows = 200;
const batchLength = 512 * 1024;

/**
 * Takes sessions over, one at a time, each in transactions of a few hundred rows that carry their own mark: a cancelled or
 * killed import goes on from there, a finished one finds nothing left to do.
 */
export function taker(deps: TakeDeps) {
  const { db, directory, clock, findings, dryRun } = deps;
  const { incarnations, routing, messages, adoption } = directory;
  const store = importStore(db);
  const found = { lanes: 0, sessions: 0, messages: 0 };
  const taken = { lanes: 0, sessions: 0, messages: 0 };
  let unattached = 0;
  /** Lanes made by this import: of two records that turn out to be one lane, the one used last leads. */
  const made = new Set<SessionKey>();
  const parents: Pick<SourceSession, "id" | "parentId">[] = [];

  /** The row that owns the transcript. Its predecessor is linked at the end, when it may be here. */
  function insertSession(session: SourceSession, key: SourceSession["key"]): void {
    const { origin } = session;
    const title =
      session.title !== null && incarnations.titleOwner(session.title) === undefined
        ? session.title
        : null;
    incarnations.insert({
      id: session.id,
      source: session.platform,
      sessionKey: key,
      userId: origin?.userIdAlt ?? origin?.userId ?? null,
      chatId: origin?.chatId ?? null,
      chatType: origin?.chatType ?? session.entry?.chatType ?? null,
      threadId: origin?.threadId ?? null,
      displayName: session.displayName,
      originJson: origin === null ? null : JSON.stringify(sessionSourceToStored(origin)),
      parentSessionId: null,
      modelConfig: session.modelConfig,
      startedAt: session.startedAt,
      title,
    });
  }

  /** Makes the lane, or files the session among the earlier ones of a lane that is here already. */
  function settleLane(session: SourceSession, entry: SessionEntry | null): void {
    const { key } = session;
    if (key === null) return;
    const lane = routing.get(key);
    const leads = lane && made.has(key) && (entry?.updatedAtMs ?? 0) > lane.updatedAt;
    if (entry && (!lane || leads)) {
      if (lane) incarnations.end(lane.sessionId, "session_switch", clock.nowMs());
      made.add(key);
      routing.put(
        rowOf(atRest(entry), {
          channelId: entry.platform ?? "local",
          title:
            session.title ??
            session.displayName ??
            (session.origin ? laneTitle(session.origin) : ""),
        }),
      );
      routing.settleState(key, clock.nowMs());
      for (const alias of session.aliases) if (!routing.get(alias)) adoption.setAlias(alias, key);
    } else if (entry && lane && lane.sessionId !== session.id)
      incarnations.end(session.id, "session_switch", clock.nowMs());
  }

  async function write(work: () => void): Promise<void> {
    if (!dryRun) await db.write(work);
  }

  /** Adds the rows behind the mark; returns the mark behind them, or null where the source has lost its place. */
  async function takeMessages(
    session: SourceSession,
    mark: ImportMark,
    first: (() => void) | null,
  ): Promise<ImportMark | null> {
    const rows = session.messages(mark.lastRef);
    let begin = first;
    let at = mark;
    let batch: SourceMessage[] = [];
    let length = 0;
    const flush = async (): Promise<void> => {
      if (batch.length === 0 && !begin) return;
      const [work, start] = [batch, begin];
      at = { lastRef: work.at(-1)?.ref ?? at.lastRef, rows: at.rows + work.length };
      const after = at;
      await write(() => {
        start?.();
        for (const { ref: _ref, ...message } of work)
          messages.append({ ...message, sessionId: session.id });
        store.setMark(session.id, deps.kind, after, clock.nowMs());
      });
      taken.messages += work.length;
      [batch, begin, length] = [[], null, 0];
    };
    for (;;) {
      const step = await rows.next();
      if (step.done === true) {
        if (!step.value) return null;
        break;
      }
      batch.push(step.value);
      length += step.value.content.length;
      if (batch.length < batchRows && length < batchLength) continue;
      await flush();
      if (deps.isCancelled()) break;
    }
    await flush();
    return at;
  }

  async function takeNew(session: SourceSession): Promise<void> {
    const unsafe = session.key !== null && isUnsafeSessionKey(session.key);
    if (unsafe)
      findings.partial(session.key ?? "", "the lane's key is not safe; its session is unattached");
    const key = unsafe ? null : session.key;
    const own = { ...session, key, entry: unsafe ? null : session.entry };
    const lane = own.entry && key !== null ? routing.get(key) : undefined;
    if (lane)
      findings.partial(
        key ?? "",
        "a lane of this key is here already; the conversation is added to its earlier sessions",
      );
    // All at the beginning: an import that ends in the middle leaves a lane that the next one completes.
    const after = await takeMessages(own, { lastRef: null, rows: 0 }, () => {
      insertSession(own, key);
      store.setFacts(own.id, own.facts);
      settleLane(own, own.entry);
    });
    found.messages += after?.rows ?? 0;
    await countAgain(own);
    taken.sessions += 1;
    if (own.entry && !lane) taken.lanes += 1;
    if (key === null) unattached += 1;
  }

  /** What the source has said since an earlier import. */
  async function takeMore(session: SourceSession, mark: ImportMark): Promise<void> {
    found.messages += mark.rows;
    if (store.rows(session.id) !== mark.rows) {
      const next = await session.messages(mark.lastRef).next();
      if (next.done !== true)
        findings.skip(
          session.id,
          "it was taken over before and has gone on here; what the source has said since is left out",
        );
      return;
    }
    const after = await takeMessages(session, mark, null);
    if (after === null)
      findings.skip(session.id, "it was taken over before, and its file has been rewritten since");
    else if (after.rows > mark.rows) {
      found.messages += after.rows - mark.rows;
      await countAgain(session);
    }
  }

  /** The counts that lists show; bars and rewound rows are not in them. */
  async function countAgain({ id }: SourceSession): Promise<void> {
    await write(() => {
      const count = incarnations.recount(id);
      const row = routing.bySessionId(id);
      if (row) routing.patch(row.sessionKey, { messageCount: count });
    });
  }

  return {
    async take(session: SourceSession): Promise<void> {
      found.sessions += 1;
      if (session.entry) found.lanes += 1;
      if (session.parentId !== null) parents.push({ id: session.id, parentId: session.parentId });
      const mark = store.mark(session.id);
      if (mark) await takeMore(session, mark);
      else if (incarnations.exists(session.id))
        findings.skip(session.id, "a session of this id is here already, and was not imported");
      else await takeNew(session);
    },
    /** Links the sessions to their predecessors. */
    async finish(): Promise<void> {
      for (let at = 0; at < parents.length; at += batchRows)
        await write(() => {
          for (const { id, parentId } of parents.slice(at, at + batchRows))
            if (parentId !== null) store.setParent(id, parentId);
        });
    },
    report: (): Pick<ImportReport, "found" | "taken" | "unattached"> => ({
      found: { ...found },
      taken: { ...taken },
      unattached,
    }),
  };
}

/** A turn that was running there is none of ours: nothing of it is taken up by itself. */
const atRest = (entry: SessionEntry): SessionEntry => ({
  ...entry,
  activeTurnToken: null,
  activeTurnStartedAtMs: null,
  resumePending: false,
  resumeReason: null,
  lastResumeMarkedAtMs: null,
});

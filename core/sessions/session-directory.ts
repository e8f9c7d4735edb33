import { randomBytes } from "node:crypto";
import type { Database } from "../state/database.ts";
import { SignalboxError } from "../contract/errors.ts";
import type { SessionId, SessionKey } from "../contract/ids.ts";
import { messageStore } from "../transcripts/message-store.ts";
import { decideAccess } from "./access.ts";
import { describeSource } from "./description.ts";
import { incarnationStore } from "./incarnation-store.ts";
import type { EndReason } from "./incarnation-store.ts";
import { firstPresent } from "./presence.ts";
import { entryOf, originOf, routingStore, rowOf } from "./routing-store.ts";
import type { RoutingRow } from "./routing-store.ts";
import { entryAfterReset, entryAfterSuspension, freshEntry } from "./session-entry.ts";
import type { SessionEntry } from "./session-entry.ts";
import { mintSessionId } from "./session-id.ts";
import { sessionSourceToStored } from "./session-source.ts";
import type { SessionSource } from "./session-source.ts";

export interface LaneOrigin {
  key: SessionKey;
  /** What the key was joined from; see `laneIdentity()`. Null where the lane was named by its key. */
  identity: string | null;
  channelId: string;
  source: SessionSource;
}

/** What an access found: the lane's row now, and whether this turn is the first after a boundary. */
export interface Opened {
  row: RoutingRow;
  /** A suspended predecessor was replaced just now. */
  replaced: SessionId | null;
}

export type SessionDirectory = ReturnType<typeof sessionDirectory>;

/**
 * Lanes and their incarnations: creation, access, boundaries (lifecycle 3.3, 3.5, 6). Every method is part of the
 * caller's transaction, so that what changes together is committed together.
 */
export function sessionDirectory(db: Database) {
  const routing = routingStore(db);
  const incarnations = incarnationStore(db);
  const messages = messageStore(db);

  const mint = (nowMs: number): SessionId =>
    mintSessionId(nowMs, (count) => randomBytes(count), incarnations.exists);

  function insertIncarnation(
    entry: SessionEntry,
    source: SessionSource | null,
    parent: { id: SessionId; marker: string } | null,
    title: string | null,
  ): void {
    incarnations.insert({
      id: entry.sessionId,
      source: source?.platform ?? entry.platform ?? "local",
      sessionKey: entry.sessionKey,
      userId: firstPresent(source?.userIdAlt, source?.userId),
      chatId: source?.chatId ?? null,
      chatType: source?.chatType ?? entry.chatType,
      threadId: source?.threadId ?? null,
      displayName: entry.displayName,
      originJson: source === null ? null : JSON.stringify(sessionSourceToStored(source)),
      parentSessionId: parent?.id ?? null,
      modelConfig: parent ? JSON.stringify({ [parent.marker]: parent.id }) : null,
      startedAt: entry.createdAtMs,
      title,
    });
  }

  /** Marks in the new transcript where the old conversation ended; shown to people, never sent to an agent. */
  function mark(
    id: SessionId,
    kind: string,
    text: string,
    atMs: number,
    previous: SessionId | null,
  ): void {
    messages.append({
      sessionId: id,
      role: "boundary",
      content: text,
      timestamp: atMs,
      displayKind: kind,
      displayMetadata: previous === null ? null : JSON.stringify({ previous }),
    });
  }

  /** What a lane keeps across its incarnations, beside the documented entry. */
  const kept = (row: RoutingRow) => ({
    channelId: row.channelId,
    laneIdentity: row.laneIdentity,
    title: row.title,
    agentId: row.agentId,
    turnCount: row.turnCount,
    queueDepth: row.queueDepth,
  });

  function create(origin: LaneOrigin, nowMs: number): RoutingRow {
    const entry = freshEntry(origin.key, mint(nowMs), origin.source, nowMs);
    insertIncarnation(entry, origin.source, null, null);
    const row = rowOf(entry, {
      channelId: origin.channelId,
      laneIdentity: origin.identity,
      title: laneTitle(origin.source),
    });
    routing.put(row);
    return row;
  }

  function recoverOrCreate(
    origin: LaneOrigin,
    stale: RoutingRow | undefined,
    nowMs: number,
  ): RoutingRow {
    const found = incarnations.findLatest(origin.key, {
      platform: origin.source.platform,
      userId: firstPresent(origin.source.userIdAlt, origin.source.userId),
      chatId: origin.source.chatId,
      chatType: origin.source.chatType,
      threadId: origin.source.threadId,
    });
    if (!found) {
      const row = create(origin, nowMs);
      if (!stale) return row;
      const whole = { ...row, ...kept(stale) };
      routing.put(whole);
      return whole;
    }
    incarnations.reopen(found, origin.key);
    if (stale?.sessionId === found) return stale; // reopened in place: its counters stay
    const past = incarnations.get(found);
    const lane = stale
      ? kept(stale)
      : {
          channelId: origin.channelId,
          laneIdentity: origin.identity,
          title: laneTitle(origin.source),
        };
    const entry = freshEntry(origin.key, found, origin.source, past?.startedAt ?? nowMs);
    const row = rowOf(
      { ...entry, updatedAtMs: messages.lastAt(found) ?? 0 },
      { ...lane, messageCount: past?.messageCount ?? 0 },
    );
    routing.put(row);
    return row;
  }

  return {
    routing,
    incarnations,
    messages,

    /**
     * The lane's row, made if it is new, so that an accepted message has somewhere to wait.
     * @throws {SignalboxError} E_KEY_COLLISION where other ids meet in the same unescaped key.
     */
    ensureLane(origin: LaneOrigin, nowMs: number): RoutingRow {
      const row = routing.get(origin.key);
      if (!row) return recoverOrCreate(origin, undefined, nowMs);
      if (origin.identity === null) return row;
      if (row.laneIdentity === null) routing.patch(origin.key, { laneIdentity: origin.identity });
      else if (row.laneIdentity !== origin.identity)
        throw new SignalboxError(
          "E_KEY_COLLISION",
          "This chat's ids spell the same session key as another chat's. The message was refused so that the two are not mixed.",
          { key: origin.key },
        );
      return row;
    },

    /** The access of a turn (lifecycle 3.3), applied. `touch` is false for internal events. */
    open(origin: LaneOrigin, touch: boolean, nowMs: number): Opened {
      const row = routing.get(origin.key);
      const incarnation = row && incarnations.get(row.sessionId);
      const access = decideAccess({
        entry: row
          ? {
              sessionId: row.sessionId,
              suspended: row.suspended === 1,
              resumePending: row.resumePending === 1,
              lastPromptTokens: row.lastPromptTokens,
            }
          : null,
        route:
          row && incarnation
            ? { tip: row.sessionId, tipEnded: incarnation.endedAt !== null }
            : null,
        forceNew: false,
        touchActivity: touch,
      });
      switch (access.kind) {
        case "create":
        case "recover-or-create":
          return { row: recoverOrCreate(origin, row, nowMs), replaced: null };
        case "replace-suspended": {
          if (!row) throw new SignalboxError("E_INTERNAL", "A suspended lane without a row.");
          const entry = entryAfterSuspension(entryOf(row), mint(nowMs), origin.source, nowMs);
          incarnations.end(row.sessionId, "suspended", nowMs);
          insertIncarnation(
            entry,
            origin.source,
            { id: row.sessionId, marker: "_reset_from" },
            null,
          );
          const next = rowOf(entry, kept(row));
          routing.put(next);
          mark(
            entry.sessionId,
            "suspended",
            "Fresh start: the session before this one was suspended.",
            nowMs,
            row.sessionId,
          );
          return { row: next, replaced: row.sessionId };
        }
        case "continue-interrupted":
        case "continue": {
          if (!row) throw new SignalboxError("E_INTERNAL", "A continued lane without a row.");
          const touched = access.kind === "continue" && access.touches;
          if (touched) routing.patch(origin.key, { updatedAt: nowMs });
          return { row: touched ? { ...row, updatedAt: nowMs } : row, replaced: null };
        }
      }
    },

    /** Ends the lane's incarnation and starts a fresh one (lifecycle 3.5, 6.1). Returns undefined where there is no lane. */
    reset(
      key: SessionKey,
      by: string,
      title: string | null,
      nowMs: number,
      reason: EndReason = "session_reset",
    ): RoutingRow | undefined {
      const row = routing.get(key);
      if (!row) return undefined;
      const owner = title === null ? undefined : incarnations.titleOwner(title);
      const entry = entryAfterReset(entryOf(row), mint(nowMs), nowMs);
      incarnations.end(row.sessionId, reason, nowMs);
      const own = owner === undefined ? title : null; // a title names one session; a taken one leaves the new one untitled
      insertIncarnation(entry, originOf(row), { id: row.sessionId, marker: "_reset_from" }, own);
      const next = rowOf(entry, { ...kept(row), title: own ?? row.title });
      routing.put(next);
      mark(
        entry.sessionId,
        "reset",
        `Reset by ${by}. The conversation before it stays readable.`,
        nowMs,
        row.sessionId,
      );
      return next;
    },

    /** Returns whether the flag changed; undefined where there is no lane. */
    suspend(
      key: SessionKey,
      by: string,
      reason: string | null,
      nowMs: number,
    ): boolean | undefined {
      const row = routing.get(key);
      if (!row) return undefined;
      if (row.suspended === 1) return false;
      routing.patch(key, {
        suspended: 1,
        suspendedAt: nowMs,
        suspendedBy: by,
        suspendReason: reason,
      });
      return true;
    },

    unsuspend(key: SessionKey): boolean | undefined {
      const row = routing.get(key);
      if (!row) return undefined;
      if (row.suspended === 0) return false;
      routing.patch(key, {
        suspended: 0,
        suspendedAt: null,
        suspendedBy: null,
        suspendReason: null,
      });
      return true;
    },
  };
}

/** A lane's name in the list: the chat's, else the person's, else what the source describes. */
export const laneTitle = (source: SessionSource): string =>
  firstPresent(
    source.chatName,
    source.chatType === "dm" ? firstPresent(source.userName, source.userId) : null,
  ) ?? (source.platform === "local" ? "New conversation" : describeSource(source));

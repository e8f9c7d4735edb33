import type { Database } from "../state/database.ts";
import { SignalboxError } from "../contract/errors.ts";
import type { SessionId, SessionKey } from "../contract/ids.ts";
import { messageStore } from "../transcripts/message-store.ts";
import { transcriptEditStore } from "../transcripts/transcript-edit-store.ts";
import { decideAccess } from "./access.ts";
import type { Access } from "./access.ts";
import { approvalStore } from "./approval-store.ts";
import { boundaries, kept } from "./boundaries.ts";
import { incarnationStore } from "./incarnation-store.ts";
import { laneSettingStore, shownListStore } from "./lane-setting-store.ts";
import { noSignals } from "./lane-signals.ts";
import type { LaneMaker, LaneSignals } from "./lane-signals.ts";
import { laneTitle } from "./lane-title.ts";
import { lacksRoute, laneAdoption } from "./lane-adoption.ts";
import { laneUpkeep } from "./lane-upkeep.ts";
import { lineageStore } from "./lineage-store.ts";
import { incarnationMaker } from "./new-incarnation.ts";
import { firstPresent } from "./presence.ts";
import { promptPinStore } from "./prompt-pin-store.ts";
import { routingStore, rowOf } from "./routing-store.ts";
import type { RoutingRow } from "./routing-store.ts";
import { freshEntry } from "./session-entry.ts";
import { sessionSourceToStored } from "./session-source.ts";
import type { SessionSource } from "./session-source.ts";
import { transcriptChanges } from "./transcript-changes.ts";

export interface LaneOrigin {
  key: SessionKey;
  /** What the key was joined from; see `laneIdentity()`. Null where the lane was named by its key. */
  identity: string | null;
  channelId: string;
  source: SessionSource;
  /** Who makes it, if it is new; a person where it is not said. */
  createdBy?: LaneMaker;
  /** Other keys under which the same lane may have been filed; looked at only where this one has none (lifecycle 4.7). */
  spellings?: () => readonly SessionKey[];
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
export function sessionDirectory(db: Database, signals: LaneSignals = noSignals) {
  const approvals = approvalStore(db);
  const routing = routingStore(db, approvals.blocks);
  const incarnations = incarnationStore(db);
  const messages = messageStore(db);
  const lineage = lineageStore(db);
  const adoption = laneAdoption(db, routing);
  const edits = transcriptEditStore(db);
  const pins = promptPinStore(db);
  const shownLists = shownListStore(db);
  const settings = laneSettingStore(db);
  const maker = incarnationMaker(incarnations, messages);

  /**
   * What a boundary clears (lifecycle 6.1, step 6). A table that holds something of one conversation belongs in here; the
   * one-shot flags and overrides of the entry go with the entry itself.
   */
  function clearConversation(key: SessionKey, nowMs: number): void {
    approvals.clear(key, nowMs);
    pins.clear(key);
    shownLists.clear(key);
    signals.boundary(key, nowMs);
  }

  const crossings = boundaries({
    routing,
    incarnations,
    messages,
    lineage,
    edits,
    maker,
    clearConversation,
  });

  const changes = transcriptChanges({ routing, incarnations, messages, edits, maker });

  /** The incarnation that a lost or stale route most probably meant. */
  const lost = (key: SessionKey, source: SessionSource): SessionId | undefined =>
    incarnations.findLatest(key, {
      platform: source.platform,
      userId: firstPresent(source.userIdAlt, source.userId),
      chatId: source.chatId,
      chatType: source.chatType,
      threadId: source.threadId,
    });

  function create(origin: LaneOrigin, stale: RoutingRow | undefined, nowMs: number): RoutingRow {
    const entry = freshEntry(origin.key, maker.mint(nowMs), origin.source, nowMs);
    maker.insert(entry, origin.source, null, null);
    const lane = {
      channelId: origin.channelId,
      laneIdentity: origin.identity,
      title: laneTitle(origin.source),
    };
    const row = rowOf(entry, stale ? { ...kept(stale), title: lane.title } : lane);
    routing.put(row);
    if (!stale) signals.created(row, origin.createdBy ?? null, nowMs);
    return row;
  }

  function recoverOrCreate(
    origin: LaneOrigin,
    stale: RoutingRow | undefined,
    nowMs: number,
  ): RoutingRow {
    const found = lost(origin.key, origin.source);
    if (found !== undefined && stale?.sessionId === found) {
      incarnations.reopen(found, origin.key);
      return stale; // reopened in place: its counters stay
    }
    if (stale) clearConversation(origin.key, nowMs);
    if (found === undefined) return create(origin, stale, nowMs);
    incarnations.reopen(found, origin.key);
    const past = incarnations.get(found);
    const lane = stale
      ? kept(stale)
      : {
          channelId: origin.channelId,
          laneIdentity: origin.identity,
          title: past?.title ?? laneTitle(origin.source),
        };
    const entry = freshEntry(origin.key, found, origin.source, past?.startedAt ?? nowMs);
    const row = rowOf(
      { ...entry, updatedAtMs: messages.lastAt(found) ?? 0 },
      { ...lane, messageCount: past?.messageCount ?? 0 },
    );
    routing.put(row);
    return row;
  }

  function decide(row: RoutingRow | undefined, touch: boolean): Access {
    const tip = row && lineage.tip(row.sessionId);
    const incarnation = tip && incarnations.get(tip);
    return decideAccess({
      entry: row
        ? {
            sessionId: row.sessionId,
            suspended: row.suspended === 1,
            resumePending: row.resumePending === 1,
            lastPromptTokens: row.lastPromptTokens,
          }
        : null,
      route: incarnation ? { tip: incarnation.id, tipEnded: incarnation.endedAt !== null } : null,
      forceNew: false,
      touchActivity: touch,
    });
  }

  return {
    routing,
    incarnations,
    messages,
    lineage,
    adoption,
    edits,
    approvals,
    pins,
    shownLists,
    settings,
    maker,
    /** Whether a title is free, or this session's own. */
    nameIsFree: (title: string, id: SessionId): boolean =>
      [undefined, id].includes(incarnations.titleOwner(title)),
    /** Names the lane's session; null takes the name away. Undefined where there is no lane. */
    setTitle(key: SessionKey, title: string | null): boolean | undefined {
      const row = routing.get(key);
      if (!row) return undefined;
      const before = incarnations.get(row.sessionId)?.title ?? null;
      incarnations.setTitle(row.sessionId, title);
      for (const lane of routing.lanesAt(row.sessionId))
        routing.patch(lane.sessionKey, { title: title ?? crossings.plainTitle(lane) });
      return before !== title;
    },
    reset: crossings.reset,
    switchTo: crossings.switchTo,
    branch: crossings.branch,
    ...changes,
    ...laneUpkeep(db, routing),
    rotate(...given: Parameters<typeof crossings.rotate>) {
      const rotated = crossings.rotate(...given);
      const [row, , nowMs] = given;
      signals.compacted(row.sessionKey, rotated.child, rotated.child, nowMs);
      return rotated;
    },
    compact(...given: Parameters<typeof changes.compact>) {
      const compacted = changes.compact(...given);
      const [id, , nowMs] = given;
      const lane = routing.bySessionId(id);
      if (lane) signals.compacted(lane.sessionKey, id, `${id}:${compacted.edit}`, nowMs);
      return compacted;
    },

    /**
     * The lane's row, made if it is new, so that an accepted message has somewhere to wait.
     * @throws {SignalboxError} E_KEY_COLLISION where other ids meet in the same unescaped key.
     */
    ensureLane(origin: LaneOrigin, nowMs: number): RoutingRow {
      const row = routing.get(origin.key) ?? adoption.adopt(origin.key, origin.spellings?.() ?? []);
      if (!row) return recoverOrCreate(origin, undefined, nowMs);
      // A lane that was taken over without its route learns it from its first message.
      if (lacksRoute(row, origin.source))
        routing.patch(origin.key, {
          originJson: JSON.stringify(sessionSourceToStored(origin.source)),
          channelId: origin.channelId,
        });
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

    /** Repoints a lane whose session was compressed elsewhere (lifecycle 3.3); bookkeeping, no activity. */
    follow(key: SessionKey): void {
      const row = routing.get(key);
      const tip = row && lineage.tip(row.sessionId);
      if (tip && tip !== row.sessionId) routing.patch(key, { sessionId: tip });
    },

    /** The incarnation that the lane's next turn will run in; null where it will be a new one. Changes nothing. */
    peek(key: SessionKey, source: SessionSource): SessionId | null {
      const access = decide(routing.get(key), false);
      switch (access.kind) {
        case "continue":
        case "continue-interrupted":
          return access.sessionId;
        case "recover-or-create":
          return lost(key, source) ?? null;
        case "create":
        case "replace-suspended":
          return null;
      }
    },

    /** The access of a turn (lifecycle 3.3), applied. `touch` is false for internal events. */
    open(origin: LaneOrigin, touch: boolean, nowMs: number): Opened {
      const row = routing.get(origin.key);
      const access = decide(row, touch);
      switch (access.kind) {
        case "create":
        case "recover-or-create":
          return { row: recoverOrCreate(origin, row, nowMs), replaced: null };
        case "replace-suspended": {
          if (!row) throw new SignalboxError("E_INTERNAL", "A suspended lane without a row.");
          const next = crossings.replaceSuspended(row, origin.source, nowMs);
          return { row: next, replaced: row.sessionId };
        }
        case "continue-interrupted":
        case "continue": {
          if (!row) throw new SignalboxError("E_INTERNAL", "A continued lane without a row.");
          const change = {
            // Following a compression is bookkeeping, no activity (lifecycle 14.5).
            ...(access.repointed ? { sessionId: access.sessionId } : {}),
            ...(access.kind === "continue" && access.touches ? { updatedAt: nowMs } : {}),
          };
          if (Object.keys(change).length > 0) routing.patch(origin.key, change);
          return { row: { ...row, ...change }, replaced: null };
        }
      }
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

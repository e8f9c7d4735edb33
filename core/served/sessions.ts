import { SignalboxError } from "../contract/errors.ts";
import type { SessionDetail, WaitingItem } from "../contract/domain.ts";
import type { SessionKey } from "../contract/ids.ts";
import { asSessionId } from "../contract/ids.ts";
import type { Acceptance, InboundMessage } from "../channels/channel.ts";
import type { LocalChannel } from "../channels/local.ts";
import type { SimulatorChannel } from "../channels/simulator.ts";
import type { Clock } from "../clock.ts";
import { originOf } from "../sessions/routing-store.ts";
import type { RoutingRow } from "../sessions/routing-store.ts";
import type { SessionDirectory } from "../sessions/session-directory.ts";
import { sessionRowOf } from "../sessions/session-list.ts";
import type { SessionList } from "../sessions/session-list.ts";
import { nextMessageFate } from "../sessions/session-state.ts";
import { buildSessionKey, laneIdentity } from "../sessions/session-key.ts";
import type { KeyRules } from "../sessions/session-key.ts";
import {
  sessionSource,
  sessionSourceFromStored,
  sessionSourceToStored,
} from "../sessions/session-source.ts";
import type { SessionSource } from "../sessions/session-source.ts";
import type { Database } from "../state/database.ts";
import { messageRows } from "../transcripts/message-view.ts";
import { decodeInbound } from "../turns/inbound-json.ts";
import type { InboundRow, InboxStore } from "../turns/inbox-store.ts";
import type { Intake } from "../turns/intake.ts";
import { undoMs } from "../turns/lane-acts.ts";
import type { LaneActs } from "../turns/lane-acts.ts";
import type { Lanes } from "../turns/lanes.ts";
import type { Served } from "./served.ts";
import { flagsOf } from "./session-flags.ts";

export interface SessionServedDeps {
  db: Database;
  directory: SessionDirectory;
  inbox: InboxStore;
  list: SessionList;
  lanes: Lanes;
  acts: LaneActs;
  intake: Intake;
  local: LocalChannel;
  simulator: SimulatorChannel;
  clock: Clock;
  keyRules(): KeyRules;
  changed(key: SessionKey): void;
}

const pageDefault = 100;

/** The calls `sessions.*` and `channels.simulate`. */
export function servedSessions(deps: SessionServedDeps) {
  const { directory, inbox, lanes, acts, clock } = deps;
  const { routing, messages } = directory;

  const rowOrThrow = (key: SessionKey): RoutingRow => {
    const row = routing.get(key);
    if (!row)
      throw new SignalboxError("E_NOT_FOUND", "There is no session with this key.", {
        field: "key",
        key,
      });
    return row;
  };
  const receipt = ({ changed, row }: { changed: boolean; row: RoutingRow }, undoable: boolean) => ({
    key: row.sessionKey,
    changed,
    undoUntilMs: undoable && changed ? clock.nowMs() + undoMs : null,
    row: sessionRowOf(row),
  });
  const accepted = (acceptance: Acceptance) => ({
    key: acceptance.key,
    accepted: acceptance.kind === "accepted",
    duplicate: acceptance.kind === "duplicate",
    inputId: acceptance.inputId,
    reply: acceptance.kind === "accepted" ? acceptance.reply : null,
  });

  return {
    "sessions.list": async (input) => {
      const page = deps.list.list(
        {
          filter: input.filter ?? "",
          sort: input.sort ?? "-updated",
          limit: input.limit ?? pageDefault,
          cursor: input.cursor ?? null,
          offset: input.offset ?? 0,
        },
        clock.nowMs(),
      );
      return {
        sessions: page.rows.map(sessionRowOf),
        total: page.total,
        counts: deps.list.counts(),
        nextCursor: page.nextCursor,
      };
    },

    "sessions.get": async ({ key }): Promise<SessionDetail> => {
      const row = rowOrThrow(key);
      const { fate, because } = nextMessageFate({
        suspended: row.suspended === 1,
        suspendReason: row.suspendReason,
        resumePending: row.resumePending === 1,
      });
      const running = lanes.running(key);
      const origin = originOf(row);
      return {
        ...sessionRowOf(row),
        nextMessage: fate,
        nextMessageBecause: because,
        flags: flagsOf(row, acts.lastActor),
        waiting: inbox
          .waiting(key)
          .map((item, index) => waitingItem(item, index, running !== null)),
        origin: origin && sessionSourceToStored(origin),
        turn: running && {
          id: running.turnId,
          startedAtMs: running.startedAtMs,
          text: running.text,
        },
      };
    },

    "sessions.history": async (input) => {
      const row = rowOrThrow(input.key);
      const limit = input.limit ?? pageDefault;
      const id = input.sessionId === undefined ? row.sessionId : asSessionId(input.sessionId);
      if (input.sessionId !== undefined && directory.incarnations.get(id)?.sessionKey !== input.key)
        throw new SignalboxError("E_NOT_FOUND", "This lane never held that session.", {
          field: "sessionId",
        });
      const page = messages.page(id, input.before ?? Number.MAX_SAFE_INTEGER, limit + 1);
      const hasMore = page.length > limit;
      return { messages: messageRows(hasMore ? page.slice(1) : page), hasMore };
    },

    "sessions.create": async ({ title }) => {
      const source = deps.local.newChatSource(title ?? null);
      const rules = deps.keyRules();
      const key = buildSessionKey(source, rules);
      const row = await deps.db.write(() =>
        directory.ensureLane(
          { key, identity: laneIdentity(source, rules), channelId: "local", source },
          clock.nowMs(),
        ),
      );
      deps.changed(key);
      return receipt({ changed: true, row }, false);
    },

    "sessions.send": async ({ key, text, messageId }) => {
      const row = rowOrThrow(key);
      // A lane that was taken over without its route is written to from here until its chat writes itself.
      const route = originOf(row);
      const message: InboundMessage = {
        channelId: route ? row.channelId : "local",
        source: route ?? operatorSource(key),
        text,
        messageId: messageId === undefined ? null : `operator:${messageId}`,
      };
      return accepted(await deps.intake.acceptInto(key, message));
    },

    "sessions.suspend": async ({ key, reason }, { actor }) =>
      receipt(await acts.suspend(key, actor, reason ?? null), true),
    "sessions.unsuspend": async ({ key }, { actor }) =>
      receipt(await acts.unsuspend(key, actor), true),
    "sessions.reset": async ({ key, title }, { actor }) =>
      receipt(
        await acts.reset(key, actor, title === undefined || title === "" ? null : title),
        false,
      ),
    "sessions.resetPreview": async ({ key }) => {
      const row = rowOrThrow(key);
      return {
        waitingDropped: inbox.waiting(key).filter((item) => item.kind !== "internal").length,
        runningSinceMs: lanes.running(key)?.startedAtMs ?? null,
        messageCount: row.messageCount,
      };
    },
    "sessions.stop": async ({ key }, { actor }) => ({ key, ...(await acts.stop(key, actor)) }),
    "sessions.watch": async ({ keys }, { connection }) => {
      if (!connection)
        throw new SignalboxError("E_INPUT", "Only a live connection can watch sessions.");
      connection.watching = new Set(keys);
      return { watching: keys.length };
    },

    "channels.simulate": async ({ source: stored, text, messageId }) => {
      const reading = sessionSourceFromStored(stored);
      if (!reading.ok)
        throw new SignalboxError("E_INPUT", `The source cannot be used: ${reading.reason}.`, {
          field: "source",
        });
      return accepted(await deps.simulator.post(reading.source, text, messageId ?? null));
    },
  } satisfies Partial<Served>;
}

/** The person at this machine, writing into a lane whose chat is not known. */
const operatorSource = (key: SessionKey): SessionSource =>
  sessionSource({ platform: "local", chatId: key, chatType: "dm", userId: "operator" });

function waitingItem(item: InboundRow, index: number, busy: boolean): WaitingItem {
  const message = decodeInbound(item.eventJson);
  return {
    inputId: item.seq,
    kind: item.kind === "command" ? "message" : item.kind,
    place: item.place,
    preview: message.text.slice(0, 280),
    from: message.source.userName ?? message.source.userId ?? message.channelId,
    acceptedAtMs: item.acceptedAt,
    reason: busy
      ? index === 0
        ? "a turn is running"
        : `${index} before it`
      : item.place === "fifo" && index === 0
        ? "waits for the next message"
        : "about to start",
  };
}

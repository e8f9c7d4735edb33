import { SignalboxError } from "../contract/errors.ts";
import type { ApprovalRow } from "../contract/lifecycle-domain.ts";
import type { SessionKey } from "../contract/ids.ts";
import type { Clock } from "../clock.ts";
import type { Approval } from "../sessions/approval-store.ts";
import { isSharedMultiUser, rulesOfChat } from "../sessions/isolation.ts";
import { lineageNodes } from "../sessions/lineage.ts";
import { redacts } from "../sessions/redaction.ts";
import { originOf } from "../sessions/routing-store.ts";
import type { RoutingRow } from "../sessions/routing-store.ts";
import type { SessionDirectory } from "../sessions/session-directory.ts";
import { explainKey } from "../sessions/session-key.ts";
import type { KeyRules } from "../sessions/session-key.ts";
import { sessionSections } from "../sessions/session-section.ts";
import { nextMessageFate } from "../sessions/session-state.ts";
import type { TranscriptEdit } from "../transcripts/transcript-edit-store.ts";
import type { BusyMode } from "../sessions/lane-setting-store.ts";
import type { Lanes } from "../turns/lanes.ts";
import type { Served } from "./served.ts";
import { flagsOf } from "./session-flags.ts";

export interface InsightDeps {
  directory: SessionDirectory;
  lanes: Lanes;
  clock: Clock;
  keyRules(): KeyRules;
  connectedPlatforms(): readonly string[];
  redactPii(): boolean;
  busyModeOf(key: SessionKey, platform: string): BusyMode;
  lastActor(key: SessionKey, act: string): string | null;
  isBusy(key: SessionKey): boolean;
}

/** The calls that explain a session: `sessions.explain`, `lineage`, `context`. They change nothing. */
export function servedInsight(deps: InsightDeps) {
  const { directory, lanes, clock } = deps;
  const { routing, messages, edits, lineage, approvals, settings, pins } = directory;

  const rowOf = (key: SessionKey): RoutingRow => {
    const row = routing.get(key);
    if (!row)
      throw new SignalboxError("E_NOT_FOUND", "There is no session with this key.", {
        field: "key",
        key,
      });
    return row;
  };

  const editRow = (edit: TranscriptEdit, isCurrent: boolean) => ({
    edit: edit.seq,
    kind: edit.kind,
    atMs: edit.at,
    by: edit.actor,
    rows: edit.rows,
    turns: edit.turns,
    excerpt: edit.excerpt,
    childSessionId: edit.childSessionId,
    restoredAtMs: edit.restoredAt,
    restorable: isCurrent && edits.isRestorable(edit),
  });

  return {
    "sessions.explain": async ({ key }) => {
      const row = rowOf(key);
      const rules = deps.keyRules();
      const origin = originOf(row);
      const explained = origin === null ? null : explainKey(origin, rules);
      const isSame = explained?.key === key;
      const { isOwn, ...isolation } =
        origin === null ? { ...rules, isOwn: false } : rulesOfChat(origin, rules);
      const { fate, because } = nextMessageFate({
        suspended: row.suspended === 1,
        suspendReason: row.suspendReason,
        resumePending: row.resumePending === 1,
      });
      return {
        key,
        sessionId: row.sessionId,
        rule: isSame ? explained.rule : null,
        segments: isSame ? [...explained.segments] : [],
        keyToday: explained === null || isSame ? null : explained.key,
        isolation: {
          groupSessionsPerUser: isolation.groupSessionsPerUser,
          threadSessionsPerUser: isolation.threadSessionsPerUser,
          ofThisChat: isOwn,
        },
        sharing: {
          shared: origin !== null && isSharedMultiUser(origin, rules),
          speakers: messages.speakers(row.sessionId),
          otherLanes: routing
            .lanesAt(row.sessionId)
            .flatMap((lane) => (lane.sessionKey === key ? [] : [lane.sessionKey])),
        },
        flags: flagsOf(row, deps.lastActor),
        nextMessage: {
          fate,
          because,
          waitsFor: deps.isBusy(key) ? "the running turn" : lanes.whyClosed(key),
        },
        busyMode: {
          now: deps.busyModeOf(key, row.platform ?? ""),
          own: settings.busyMode(key),
        },
        questions: approvals.open(key, clock.nowMs()).map(approvalRow),
      };
    },

    "sessions.lineage": async ({ key }) => {
      const row = rowOf(key);
      const current = lineage.tip(row.sessionId);
      const nodes = lineageNodes(lineage.family(key, current), current, (id) => edits.list(id));
      return {
        key,
        current,
        nodes: nodes.map((node) => ({
          ...node,
          edits: node.edits.map((edit) => editRow(edit, node.isCurrent)),
        })),
      };
    },

    "sessions.context": async ({ key }) => {
      const row = rowOf(key);
      const origin = originOf(row);
      if (origin === null)
        throw new SignalboxError("E_CONFLICT", "The chat of this session is not known.", { key });
      const sections = sessionSections(origin, row, {
        isolation: deps.keyRules(),
        connectedPlatforms: deps.connectedPlatforms(),
        redactPii: deps.redactPii(),
      });
      const pin = pins.get(key);
      return {
        key,
        ...sections,
        redactable: redacts(true, origin.platform),
        pinned: pin && {
          text: pin.section,
          sinceMs: pin.pinnedAtMs,
          redacted: pin.redacted,
          isCurrent: pin.sessionId === row.sessionId && pin.section === sections.sent,
        },
      };
    },
  } satisfies Partial<Served>;
}

/** A question as clients see it. */
export const approvalRow = (approval: Approval): ApprovalRow => ({
  id: approval.approvalId,
  key: approval.sessionKey,
  kind: approval.kind,
  question: approval.question,
  state: approval.state,
  blocksTurn: approval.blocksTurn === 1,
  askedAtMs: approval.askedAt,
  expiresAtMs: approval.expiresAt,
  answeredAtMs: approval.answeredAt,
  answeredBy: approval.answeredBy,
});

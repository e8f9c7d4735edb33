import type { BackgroundRun } from "../contract/lifecycle-domain.ts";
import { SignalboxError } from "../contract/errors.ts";
import type { SessionKey } from "../contract/ids.ts";
import type { InboundMessage } from "../channels/channel.ts";
import type { Clock } from "../clock.ts";
import type { Lifecycle } from "../compose/lifecycle.ts";
import { originOf } from "../sessions/routing-store.ts";
import type { RoutingRow } from "../sessions/routing-store.ts";
import type { SessionDirectory } from "../sessions/session-directory.ts";
import { sessionRowOf } from "../sessions/session-list.ts";
import type { Database } from "../state/database.ts";
import { commandRules } from "../turns/command-parse.ts";
import type { CommandName, ParsedText } from "../turns/command-parse.ts";
import type { Asked } from "../turns/commands/asked.ts";
import { commandHelp } from "../turns/commands/command-help.ts";
import { busyModeOf } from "../turns/busy-input.ts";
import type { CompressionWish } from "../turns/compress-acts.ts";
import type { Delegation, DelegationStore } from "../turns/delegation-store.ts";
import type { InboxStore } from "../turns/inbox-store.ts";
import type { Intake } from "../turns/intake.ts";
import { undoMs } from "../turns/lane-acts.ts";
import type { Lanes } from "../turns/lanes.ts";
import { approvalRow } from "./session-insight.ts";
import type { Served } from "./served.ts";

export interface LifecycleServedDeps {
  db: Database;
  directory: SessionDirectory;
  inbox: InboxStore;
  delegations: DelegationStore;
  lifecycle: Lifecycle;
  intake: Intake;
  lanes: Lanes;
  clock: Clock;
}

/** The calls for what a command can do too (lifecycle 18): the same acts, by the operator. */
export function servedLifecycle(deps: LifecycleServedDeps) {
  const { directory, inbox, lifecycle, lanes, clock } = deps;
  const { transcripts, compression, background, pause, confirmations, commands } = lifecycle;
  const { routing, approvals, settings } = directory;

  const rowOf = (key: SessionKey): RoutingRow => {
    const row = routing.get(key);
    if (!row)
      throw new SignalboxError("E_NOT_FOUND", "There is no session with this key.", {
        field: "key",
        key,
      });
    return row;
  };
  const receipt = (row: RoutingRow, changed: boolean, undoable = false) => ({
    key: row.sessionKey,
    changed,
    undoUntilMs: undoable && changed ? clock.nowMs() + undoMs : null,
    row: sessionRowOf(row),
  });

  /** The operator's word in a lane, as if it had been said in the lane's chat. */
  function messageOf(key: SessionKey, text: string): InboundMessage {
    const row = rowOf(key);
    const source = originOf(row);
    if (!source)
      throw new SignalboxError(
        "E_CONFLICT",
        "This session has no chat that a message could come from.",
        { key },
      );
    return { channelId: row.channelId, source, text, messageId: null };
  }
  const askedBy = (key: SessionKey, actor: string): Asked => ({
    message: messageOf(key, ""),
    key,
    actor,
    inputId: inbox.lastSeq(),
    isAdministrator: true,
  });
  const wishOf = (input: {
    focus?: string | undefined;
    keepExchanges?: number | undefined;
    mode?: CompressionWish["mode"] | undefined;
  }): CompressionWish => ({
    focus: input.focus === undefined || input.focus === "" ? null : input.focus,
    keepExchanges: input.keepExchanges ?? 0,
    mode: input.mode ?? null,
  });

  return {
    "sessions.resumable": async ({ key, query, limit }) => {
      const row = rowOf(key);
      const words = query?.toLowerCase() ?? "";
      const sessions = commands.sessions
        .visible(askedBy(key, "rpc"), true)
        .filter(
          (past) => words === "" || `${past.title ?? ""} ${past.id}`.toLowerCase().includes(words),
        )
        .slice(0, limit ?? 50)
        .map((past) => ({
          sessionId: past.id,
          key: past.sessionKey,
          title: past.title,
          messageCount: past.messageCount,
          lastAtMs: past.lastAt ?? past.startedAt,
          isCurrent: past.id === row.sessionId,
        }));
      return { sessions };
    },
    "sessions.resume": async ({ key, target }, { actor }) => {
      rowOf(key);
      const found = commands.sessions.find(askedBy(key, actor), target);
      if (found.kind === "none")
        throw new SignalboxError("E_NOT_FOUND", `There is no session “${target}”.`, {
          field: "target",
        });
      const { changed, row } = await transcripts.switchTo(key, actor, found.id);
      return { ...receipt(row, changed), sessionId: found.id, messageCount: row.messageCount };
    },
    "sessions.undo": async ({ key, turns }, { actor }) => {
      const undone = await transcripts.undo(key, actor, turns ?? 1);
      return {
        ...receipt(undone.row, undone.edit !== null, true),
        turnsUndone: undone.turns,
        rowsUndone: undone.rows,
        text: undone.text,
        edit: undone.edit,
      };
    },
    "sessions.restore": async ({ key, edit }, { actor }) => {
      const { rows, row } = await transcripts.restore(key, actor, edit);
      return { ...receipt(row, true), rowsRestored: rows };
    },
    "sessions.retry": async ({ key }, { actor }) => {
      const { row, text } = await transcripts.retry(key, actor, null);
      return { ...receipt(row, true), text };
    },
    "sessions.compressPreview": async (input) => compression.preview(input.key, wishOf(input)),
    "sessions.compress": async (input, { actor }) => {
      const done = await compression.compress(input.key, actor, wishOf(input));
      const row = done.state === "compressed" ? done.row : rowOf(input.key);
      const isDone = done.state === "compressed";
      return {
        ...receipt(row, isDone),
        state: done.state,
        sessionId: isDone ? done.sessionId : row.sessionId,
        archived: isDone ? done.archived : 0,
        kept: isDone ? done.kept : done.messages,
        summary: isDone ? done.summary : null,
      };
    },
    "sessions.stopCompression": async ({ key }) => ({ key, stopped: compression.stop(key) }),
    "sessions.branch": async ({ key, title }, { actor }) => {
      const wanted = title === undefined || title === "" ? null : title;
      const { row, from, titleTaken } = await transcripts.branch(key, actor, wanted);
      return { ...receipt(row, true), from, sessionId: row.sessionId, titleTaken };
    },
    "sessions.title": async ({ key, title }, { actor }) => {
      const { changed, row } = await lifecycle.laneActs.setTitle(
        key,
        actor,
        title === "" ? null : title,
      );
      return receipt(row, changed);
    },
    "sessions.busyMode": async ({ key, mode }) => {
      const row = rowOf(key);
      if (mode !== undefined)
        await deps.db.write(() => {
          settings.setBusyMode(key, mode);
        });
      return {
        key,
        now: busyModeOf(lifecycle.busySettings(key, row.platform ?? "")),
        own: settings.busyMode(key),
      };
    },
    "sessions.queue": async ({ key, text }) => {
      const { inputId } = await deps.intake.acceptInto(key, messageOf(key, text), "queue");
      return { key, inputId, depth: inbox.depth(key).depth };
    },
    "sessions.steer": async ({ key, text }) => {
      const { inputId } = await deps.intake.acceptInto(key, messageOf(key, text), "queue");
      return { key, inputId, steered: await lifecycle.busyInput.steer(key, inputId) };
    },

    "background.start": async ({ key, task }) =>
      backgroundRun(await background.start(key, messageOf(key, task), task)),
    "background.list": async ({ key, limit }) => ({
      runs: deps.delegations.list(key ?? null, limit ?? 50).map(backgroundRun),
    }),
    "background.stop": async ({ id }, { actor }) => ({
      id,
      stopped: background.stopOne(id, `Stopped by ${actor}.`),
    }),

    "approvals.list": async ({ key, limit }) => ({
      approvals: (key === undefined
        ? approvals.list(limit ?? 50)
        : approvals.open(key, clock.nowMs()).slice(0, limit ?? 50)
      ).map(approvalRow),
    }),
    "approvals.answer": async ({ id, answer }, { actor }) => {
      const approval = confirmations.openById(id);
      if (!(await confirmations.settle(approval, answer, actor)))
        throw new SignalboxError("E_EXPIRED", "This question was answered already.", {
          field: "id",
        });
      const runs = approval.kind === "destructive" && answer !== "deny";
      const reply = runs
        ? await commands.act(
            JSON.parse(approval.subjectJson) as Extract<ParsedText, { kind: "command" }>["command"],
            askedBy(approval.sessionKey, actor),
          )
        : null;
      return { approval: approvalRow(approvals.get(id) ?? approval), reply };
    },

    "gateway.pause": async ({ on, reason }, { actor }) => {
      if (on !== undefined)
        await pause.set(on, reason === undefined || reason === "" ? null : reason, actor);
      return { paused: pause.now(), running: lanes.countRunning() };
    },
    "gateway.restart": async (_input, { actor }) => {
      const done = lifecycle.restart({
        by: actor,
        platform: "local",
        messageId: null,
        asked: null,
      });
      return {
        restarting: done !== null,
        already: done?.already === true,
        running: done?.running ?? lanes.countRunning(),
      };
    },
    "commands.list": async () => ({
      commands: (Object.keys(commandRules) as CommandName[]).map((name) => ({
        name,
        ...commandHelp[name],
        ...commandRules[name],
      })),
    }),
  } satisfies Partial<Served>;
}

const backgroundRun = (run: Delegation): BackgroundRun => ({
  id: run.delegationId,
  key: run.sessionKey,
  sessionId: run.runSessionId,
  parentSessionId: run.parentSessionId,
  agentId: run.agentId,
  task: run.task,
  state: run.state,
  result: run.result,
  delivery: run.delivery,
  startedAtMs: run.startedAt,
  endedAtMs: run.endedAt,
});

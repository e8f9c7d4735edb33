import { z } from "zod";
import { agentOf } from "../journal/agent-key.ts";
import type { RecordedEvent } from "../journal/kinds.ts";
import { shownPayload } from "../journal/producers.ts";
import { readVersion } from "../journal/reconcile.ts";
import type { ChangeSet } from "../journal/reconcile.ts";
import { modelOverrideFrom } from "../sessions/session-entry.ts";
import type { RoutingRow } from "../sessions/routing-store.ts";
import { nextMessageFate } from "../sessions/session-state.ts";
import { tool, ToolInputError } from "./tool.ts";
import type { Tool } from "./tool.ts";
import type { ToolDeps } from "./tool-deps.ts";

/** An event as a tool shows it (state-awareness 10.1). */
export function shownEvent(event: RecordedEvent): Record<string, unknown> {
  const payload = shownPayload(event.payload);
  return {
    sequence: event.sequence,
    kind: event.kind,
    actorType: event.actor.type,
    occurredAt: event.occurredAt,
    summary: event.summary,
    ...(event.actor.id === null ? {} : { actorId: event.actor.id }),
    ...(event.runId === null ? {} : { runId: event.runId }),
    ...(payload === null ? {} : { payload }),
  };
}

const shownChanges = (changes: ChangeSet): Record<string, unknown> => ({
  events: changes.events.map(shownEvent),
  truncated: changes.truncated,
  // More than one page goes on from `next`, to the end.
  more: changes.truncated,
  ...(changes.next === null ? {} : { next: changes.next }),
  earliestAvailableSequence: changes.earliestAvailableSequence,
  historyGap: changes.historyGap,
});

const version = z.unknown().optional().meta({
  type: "integer",
  minimum: 0,
  description: "List what happened after this version. Looking moves no cursor.",
});

const input = z.object({
  sessionKey: z
    .string()
    .max(2048)
    .optional()
    .describe("A session key, a session id, or current (the default)."),
  changesSince: version,
  changes_since: z
    .unknown()
    .optional()
    .meta({ type: "integer", description: "Same as changesSince." }),
  settle: z
    .boolean()
    .optional()
    .describe(
      "With changesSince: what was listed is known to this session now, so no notice about it comes any more.",
    ),
  model: z
    .string()
    .min(1)
    .max(300)
    .optional()
    .describe("Use this model in that session from its next turn on; default clears it."),
});

/** Card, versions and changes of one session (state-awareness 10.1). */
export function sessionStatusTool(deps: ToolDeps): Tool {
  const { db, directory, journal, goals, finder, clock } = deps;

  const statusText = (row: RoutingRow, stateVersion: number): string => {
    const totals = directory.incarnations.get(row.sessionId);
    const { fate, because } = nextMessageFate({
      suspended: row.suspended === 1,
      suspendReason: row.suspendReason,
      resumePending: row.resumePending === 1,
    });
    const goal = goals.get(row.sessionKey);
    const agent = deps.agentOf(row.sessionKey);
    return [
      `Session ${row.sessionId}${row.title === "" ? "" : ` (${row.title})`}`,
      `State: ${row.state}${row.queueDepth > 0 ? `, ${row.queueDepth} waiting` : ""}, version ${stateVersion}`,
      `Agent: ${agent?.id ?? "none"}${agent?.model == null ? "" : `, model ${agent.model}`}`,
      `Messages: ${row.messageCount}; tokens: ${totals?.inputTokens ?? 0} in, ${totals?.outputTokens ?? 0} out`,
      `Next message: ${fate.replaceAll("_", " ")}${because === null ? "" : ` (${because})`}`,
      ...(goal ? [`Goal (${goal.status}): ${goal.objective}`] : []),
    ].join("\n");
  };

  async function setModel(row: RoutingRow, model: string): Promise<boolean> {
    const before = modelOverrideFrom(
      row.modelOverrideJson === null ? null : JSON.parse(row.modelOverrideJson),
    );
    const wanted = model === "default" ? null : { ...before, model };
    const json = wanted === null ? null : JSON.stringify(wanted);
    if (json === row.modelOverrideJson) return false;
    await db.write(() => directory.routing.patch(row.sessionKey, { modelOverrideJson: json }));
    deps.changed(row.sessionKey);
    return true;
  }

  return tool({
    name: "session_status",
    title: "Session status",
    description:
      "Status of a session and, with changesSince, exactly what changed in it since a version. After a notice that a session changed, call this with the version that the notice names before you act on it.",
    input,
    async run(requester, args) {
      const read = readVersion(args.changesSince ?? args.changes_since);
      if (!read.ok) throw new ToolInputError(read.error);
      const row = finder.mustFind(requester.key, args.sessionKey ?? "current");
      const changedModel = args.model === undefined ? false : await setModel(row, args.model);
      const key = row.sessionKey;
      const target = { key, agentId: agentOf(key) };
      // One thread and one connection: nothing comes between the version and the list.
      const changes = read.version === null ? null : journal.changesSince(target, read.version);
      const stateVersion = changes?.stateVersion ?? journal.version(target);
      let settled: boolean | null = null;
      if (args.settle === true && changes) {
        const through = changes.next ?? changes.stateVersion;
        settled = await db.write(() =>
          journal.settle(requester.key, target, through, clock.nowMs()),
        );
      }
      const text = statusText(row, stateVersion);
      const now = directory.routing.get(key) ?? row;
      const result = {
        ok: true,
        sessionKey: key,
        agentId: target.agentId,
        changedModel,
        stateVersion,
        statusText: text,
        sessionId: row.sessionId,
        active: deps.isRunning(key),
        ...(args.model === undefined
          ? {}
          : {
              model: args.model === "default" ? (deps.agentOf(key)?.model ?? null) : args.model,
              modelOverride: now.modelOverrideJson === null ? null : args.model,
            }),
        ...(changes === null ? {} : { stateChanges: shownChanges(changes) }),
        ...(settled === null ? {} : { settled }),
      };
      const facts = JSON.stringify({
        sessionKey: key,
        stateVersion,
        ...(changes === null ? {} : { stateChanges: result.stateChanges }),
        ...(settled === null ? {} : { settled }),
      });
      return { result, text: `${text}\nChannel: ${row.channelId}\n${facts}` };
    },
  });
}

import { z } from "zod";
import { toWire } from "../contract/errors.ts";
import { asSessionKey } from "../contract/ids.ts";
import { agentOf } from "../journal/agent-key.ts";
import { refused, tool } from "./tool.ts";
import type { Tool } from "./tool.ts";
import type { ToolDeps } from "./tool-deps.ts";

/** Gives a task to a child session (state-awareness 13). */
export function sessionsSpawnTool(deps: ToolDeps): Tool {
  const { db, relays, childRuns, clock } = deps;
  return tool({
    name: "sessions_spawn",
    title: "Spawn a child session",
    description:
      "Gives a task to a new child session and returns at once. Its end (completed, failed, cancelled, timed out) is told to this session once, with the result.",
    input: z.object({
      task: z.string().trim().min(1).max(200_000),
      label: z.string().trim().min(1).max(512).optional(),
      runTimeoutSeconds: z
        .number()
        .int()
        .min(0)
        .max(604_800)
        .optional()
        .describe("0 or absent: no limit."),
    }),
    async run(requester, { task, label, runTimeoutSeconds }) {
      try {
        const begun = await db.write(() => {
          const nowMs = clock.nowMs();
          const claimed = relays.next(requester.key, requester.key, requester.chain(), nowMs);
          if (!claimed.ok) return claimed;
          const run = childRuns.begin(
            {
              requester: requester.key,
              task,
              label: label ?? null,
              timeoutMs: (runTimeoutSeconds ?? 0) > 0 ? (runTimeoutSeconds ?? 0) * 1000 : null,
              chain: claimed.chain,
              into: null,
            },
            nowMs,
          );
          return { ok: true as const, run };
        });
        if (!begun.ok) return refused("forbidden", begun.error);
        childRuns.begun(begun.run);
        return {
          result: {
            status: "accepted",
            childSessionKey: begun.run.childKey,
            runId: begun.run.runId,
            label: begun.run.label,
          },
        };
      } catch (cause) {
        const { code, message } = toWire(cause);
        return refused(code === "E_REFUSED" ? "forbidden" : "error", message);
      }
    },
  });
}

/** Ends a watch of the calling session. */
export function sessionsUnwatchTool(deps: ToolDeps): Tool {
  const { db, journal, finder, clock } = deps;
  return tool({
    name: "sessions_unwatch",
    title: "Stop watching a session",
    description: "No notices about that session any more. Its history stays readable.",
    input: z.object({ sessionKey: z.string().min(1).max(2048) }),
    async run(requester, { sessionKey }) {
      const key = finder.find(requester.key, sessionKey)?.sessionKey ?? asSessionKey(sessionKey);
      const unwatched = await db.write(() =>
        journal.unwatch(requester.key, { key, agentId: agentOf(key) }, clock.nowMs()),
      );
      return { result: { status: "ok", sessionKey: key, unwatched } };
    },
  });
}

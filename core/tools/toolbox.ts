import type { ToolBox } from "../agents/runtime.ts";
import { SignalboxError, toWire } from "../contract/errors.ts";
import type { Log } from "../log/log.ts";
import { goalTools } from "./goal-tools.ts";
import { sessionStatusTool } from "./session-status.ts";
import { sessionsHistoryTool } from "./sessions-history.ts";
import { sessionsListTool } from "./sessions-list.ts";
import { sessionsSendTool } from "./sessions-send.ts";
import { sessionsSpawnTool, sessionsUnwatchTool } from "./sessions-spawn.ts";
import { schemaOf, ToolInputError } from "./tool.ts";
import type { Requester, Tool } from "./tool.ts";
import type { ToolDeps } from "./tool-deps.ts";

export interface Called {
  text: string;
  /** For programs; absent where the call failed. */
  result?: Record<string, unknown>;
  failed: boolean;
}

export type SessionTools = ReturnType<typeof sessionTools>;

/** The session tools: one set for agents and for clients (state-awareness 10). */
export function sessionTools(deps: ToolDeps, log: Log) {
  const tools: readonly Tool[] = [
    sessionsListTool(deps),
    sessionsHistoryTool(deps),
    sessionsSendTool(deps),
    sessionsSpawnTool(deps),
    sessionStatusTool(deps),
    sessionsUnwatchTool(deps),
    ...goalTools(deps),
  ];
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const specs = tools.map((tool) => ({
    name: tool.name,
    description: tool.description,
    inputSchema: schemaOf(tool),
  }));

  /** Never throws: what goes wrong is the answer. */
  async function call(
    requester: Requester,
    name: string,
    args: unknown,
    signal: AbortSignal,
  ): Promise<Called> {
    const tool = byName.get(name);
    if (!tool) return { text: `There is no tool named "${name}".`, failed: true };
    try {
      const answer = await tool.run(requester, args, signal);
      const { result } = answer;
      return {
        text: answer.text ?? JSON.stringify(result),
        result,
        failed: result["status"] === "error" || result["status"] === "forbidden",
      };
    } catch (thrown) {
      if (thrown instanceof ToolInputError) return { text: thrown.message, failed: true };
      if (!(thrown instanceof SignalboxError))
        log.error("tool.failed", { tool: name, sessionKey: requester.key }, thrown);
      return { text: toWire(thrown).message, failed: true };
    }
  }

  return {
    tools,
    call,
    /** The tools of one turn. A stopped turn does not wait for a tool; what the tool began goes on. */
    boxFor: (requester: Requester): ToolBox => ({
      specs,
      async call(name, args, signal) {
        let stop = (): void => undefined;
        const stopped = new Promise<Called>((resolve) => {
          stop = () => {
            resolve({ text: "The turn was stopped.", failed: true });
          };
        });
        if (signal.aborted) stop();
        else signal.addEventListener("abort", stop, { once: true });
        try {
          const { text, failed } = await Promise.race([
            call(requester, name, args, signal),
            stopped,
          ]);
          return { output: text, failed };
        } finally {
          signal.removeEventListener("abort", stop);
        }
      },
    }),
  };
}

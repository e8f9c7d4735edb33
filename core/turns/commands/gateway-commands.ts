import type { SessionDirectory } from "../../sessions/session-directory.ts";
import { nextMessageFate } from "../../sessions/session-state.ts";
import { commandRules } from "../command-parse.ts";
import type { CommandName } from "../command-parse.ts";
import type { InboxStore } from "../inbox-store.ts";
import type { Lanes } from "../lanes.ts";
import type { Pause } from "../pause.ts";
import { counted, stamp } from "./asked.ts";
import type { Asked } from "./asked.ts";
import { commandHelp } from "./command-help.ts";

export interface RestartRequest {
  by: string;
  platform: string;
  /** The message that asked, for the redelivery guard (lifecycle 10.9). */
  messageId: string | null;
  /** Null where it was not asked for in a chat. */
  asked: Asked | null;
}

export interface GatewayCommandDeps {
  directory: SessionDirectory;
  inbox: InboxStore;
  lanes: Lanes;
  pause: Pause;
  /** The agent that would answer, with its model. */
  agentOf(asked: Asked): { id: string; model: string | null };
  connectedPlatforms(): readonly string[];
  background: { countRunning(): number };
  /** Asks the host to drain and start anew; null where this host cannot. */
  restart(request: RestartRequest): { already: boolean; running: number } | null;
}

/** `/status`, `/pause`, `/restart`, `/help` (lifecycle 18). */
export function gatewayCommands(deps: GatewayCommandDeps) {
  const { directory, inbox, lanes } = deps;

  function status(asked: Asked): string {
    const { key } = asked;
    const row = directory.routing.get(key);
    if (!row) return "No conversation yet.";
    const own = directory.incarnations.get(row.sessionId);
    const totals = directory.lineage.totals(row.sessionId);
    const { depth } = inbox.depth(key);
    const agent = deps.agentOf(asked);
    const { fate, because } = nextMessageFate({
      suspended: row.suspended === 1,
      suspendReason: row.suspendReason,
      resumePending: row.resumePending === 1,
    });
    const running = lanes.running(key);
    const paused = deps.pause.now();
    return [
      `Session ${row.sessionId}${own?.title ? ` (${own.title})` : ""}, ${counted(row.messageCount, "message")}`,
      `Lane ${key}`,
      `State: ${row.state}${running ? ` since ${stamp(running.startedAtMs)} UTC` : ""}, ${counted(depth, "message")} waiting`,
      `Agent: ${agent.id}${agent.model === null ? "" : ` (${agent.model})`}`,
      `Context: ${row.lastPromptTokens} tokens in the last request`,
      `Tokens: ${totals.inputTokens} in, ${totals.outputTokens} out`,
      `Connected: ${deps.connectedPlatforms().join(", ") || "nothing"}`,
      ...(paused
        ? [
            `New turns are paused since ${stamp(paused.sinceMs)} UTC${paused.reason === null ? "" : `: ${paused.reason}`}`,
          ]
        : []),
      `Next message: ${fate.replaceAll("_", " ")}${because === null ? "" : ` (${because})`}`,
    ].join("\n");
  }

  return {
    status,

    async pause(asked: Asked, on: boolean, reason: string | null): Promise<string> {
      const changed = await deps.pause.set(on, reason, asked.actor);
      if (!on) return changed ? "New turns start again." : "New turns were not paused.";
      const running = lanes.countRunning();
      return [
        changed ? "New turns are paused everywhere." : "New turns were paused already.",
        ...(running > 0 ? [`${counted(running, "running turn")} will end first.`] : []),
        "Messages are kept; /pause off goes on.",
      ].join(" ");
    },

    restart(asked: Asked): string {
      const { message, actor } = asked;
      const done = deps.restart({
        by: actor,
        platform: message.source.platform,
        messageId: message.messageId,
        asked,
      });
      if (done === null) return "This host cannot restart the gateway.";
      const left =
        done.running === 0 ? "No turn runs." : `${counted(done.running, "turn")} to end first.`;
      return done.already ? `Restarting already. ${left}` : `Restarting. ${left}`;
    },

    help: (): string =>
      (Object.keys(commandRules) as CommandName[])
        .map((name) => `${commandHelp[name].usage}: ${commandHelp[name].about}`)
        .join("\n"),
  };
}

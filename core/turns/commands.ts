import type { InboundMessage } from "../channels/channel.ts";
import { toWire } from "../contract/errors.ts";
import type { SessionKey } from "../contract/ids.ts";
import type { Log } from "../log/log.ts";
import { busyPolicy, isDestructive } from "./command-parse.ts";
import type { Command, ParsedText } from "./command-parse.ts";
import { actorOf } from "./commands/asked.ts";
import type { Asked } from "./commands/asked.ts";
import { bareAnswer } from "./commands/bare-answer.ts";
import type { Confirmations } from "./commands/confirmation.ts";
import { conversationCommands, destructiveQuestion } from "./commands/conversation-commands.ts";
import type { ConversationCommandDeps } from "./commands/conversation-commands.ts";
import { gatewayCommands } from "./commands/gateway-commands.ts";
import type { GatewayCommandDeps } from "./commands/gateway-commands.ts";
import { laneCommands } from "./commands/lane-commands.ts";
import type { LaneCommandDeps } from "./commands/lane-commands.ts";
import { sessionCommands } from "./commands/session-commands.ts";
import type { SessionCommandDeps } from "./commands/session-commands.ts";

export interface CommandDeps
  extends ConversationCommandDeps, SessionCommandDeps, LaneCommandDeps, GatewayCommandDeps {
  background: LaneCommandDeps["background"];
  confirmations: Confirmations;
  log: Log;
  /** `/goal`: shows or changes what the session works towards. */
  goal(key: SessionKey, text: string): Promise<string>;
  isAdministrator(message: InboundMessage): boolean;
}

/** Acts on a command typed into a chat (lifecycle 18) and returns the line that answers it; null where no word is needed. */
export function createCommands(deps: CommandDeps) {
  const { confirmations, guard } = deps;
  const conversation = conversationCommands(deps);
  const sessions = sessionCommands(deps);
  const lane = laneCommands(deps);
  const gateway = gatewayCommands(deps);

  /** Runs a command that nobody has to confirm any more. */
  function act(command: Command, asked: Asked): Promise<string | null> | string {
    switch (command.name) {
      case "new":
      case "reset":
        return conversation.startOver(asked, command.title);
      case "undo":
        return conversation.undo(asked, command.turns);
      case "retry":
        return conversation.retry(asked);
      case "branch":
        return conversation.branch(asked, command.title);
      case "title":
        return conversation.title(asked, command.title);
      case "compress":
        return conversation.compress(asked, command.scope, command.preview);
      case "resume":
        return sessions.resume(asked, command.target);
      case "sessions":
        return sessions.sessions(asked, command.view);
      case "stop":
        return lane.stop(asked);
      case "queue":
        return lane.queue(asked, command.text);
      case "steer":
        return lane.steer(asked, command.text);
      case "busy":
        return lane.busy(asked, command.mode);
      case "background":
        return lane.background(asked, command.text);
      case "goal":
        return deps.goal(asked.key, command.text);
      case "status":
        return gateway.status(asked);
      case "pause":
        return gateway.pause(asked, command.on, command.reason);
      case "restart":
        return gateway.restart(asked);
      case "help":
        return gateway.help();
      case "approve":
      case "deny":
        return answer(command.name, command.answer, asked);
    }
  }

  async function answer(
    name: "approve" | "deny",
    word: string | null,
    asked: Asked,
  ): Promise<string | null> {
    const given = name === "deny" ? "deny" : word === null ? "once" : bareAnswer(word);
    if (given === null) return "Usage: /approve [once|always]";
    const done = await confirmations.answer(asked, given);
    return "run" in done ? act(done.run, asked) : done.line;
  }

  async function run(command: Command, asked: Asked): Promise<string | null> {
    // Whether it may run now comes before whether it should: nobody is asked about what cannot be done.
    if (busyPolicy(command.name) === "reject" && guard.isBusy(asked.key))
      return `/${command.name} can't run mid-turn. Wait for the answer, or /stop it and try again.`;
    if (isDestructive(command.name) && confirmations.asksFirst())
      return confirmations.ask(asked, command, destructiveQuestion(deps.directory, asked, command));
    return act(command, asked);
  }

  return {
    async run(
      parsed: Exclude<ParsedText, { kind: "text" }>,
      message: InboundMessage,
      key: SessionKey,
      inputId: number,
    ): Promise<string | null> {
      const asked: Asked = {
        message,
        key,
        inputId,
        actor: actorOf(message),
        isAdministrator: deps.isAdministrator(message),
      };
      try {
        if (parsed.kind === "misused") return parsed.problem;
        if (parsed.kind === "unknown")
          return guard.isBusy(key)
            ? `/${parsed.name} can't run mid-turn.`
            : `There is no command /${parsed.name}. /help lists them.`;
        return await run(parsed.command, asked);
      } catch (cause) {
        const error = toWire(cause);
        if (error.code === "E_INTERNAL")
          deps.log.error("command.failed", { sessionKey: key, kind: parsed.kind }, cause);
        return error.message;
      }
    },
    /** Runs a command that nobody has to confirm any more. @throws {SignalboxError} what the act throws. */
    act: async (command: Command, asked: Asked): Promise<string | null> => act(command, asked),
    sessions,
  };
}

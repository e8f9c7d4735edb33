import type { InboundMessage, Acceptance } from "../../channels/channel.ts";
import type { SessionKey } from "../../contract/ids.ts";
import type { BusyMode } from "../../sessions/lane-setting-store.ts";
import type { SessionDirectory } from "../../sessions/session-directory.ts";
import type { Database } from "../../state/database.ts";
import type { BackgroundRuns } from "../background-runs.ts";
import type { BusyInput } from "../busy-input.ts";
import type { InboxStore } from "../inbox-store.ts";
import type { LaneActs } from "../lane-acts.ts";
import type { LaneGuard } from "../lane-guard.ts";
import type { Lanes } from "../lanes.ts";
import { counted } from "./asked.ts";
import type { Asked } from "./asked.ts";

export interface LaneCommandDeps {
  db: Database;
  directory: SessionDirectory;
  inbox: InboxStore;
  lanes: Lanes;
  guard: LaneGuard;
  acts: LaneActs;
  busyInput: BusyInput;
  background: BackgroundRuns;
  /** The mode in force in a lane, and what it would be without the lane's own setting. */
  busyMode(key: SessionKey, message: InboundMessage): { now: BusyMode; without: BusyMode };
  /** Puts a message into the lane, never merged with another. */
  enqueue(key: SessionKey, message: InboundMessage): Promise<Acceptance>;
}

const modeWords: Record<BusyMode, string> = {
  interrupt: "a message stops the running turn and is next",
  queue: "a message waits for the running turn to end",
  steer: "a message goes into the running turn after its next tool call",
};

/** `/stop`, `/queue`, `/steer`, `/busy`, `/background` (lifecycle 12, 18). */
export function laneCommands(deps: LaneCommandDeps) {
  const { db, directory, inbox, lanes, guard } = deps;

  /** The text of a command as a message of its own; the command's message is what its reply answers. */
  const asMessage = ({ message }: Asked, text: string): InboundMessage => ({
    ...message,
    text,
    messageId: null,
    replyTo: message.messageId,
  });

  async function queue(asked: Asked, text: string): Promise<string | null> {
    if (text === "") return "Usage: /queue <message>";
    const wasBusy = guard.isBusy(asked.key) || lanes.whyClosed(asked.key) !== null;
    await deps.enqueue(asked.key, asMessage(asked, text));
    if (!wasBusy) return null; // as if the text had been sent
    const { depth } = inbox.depth(asked.key);
    return depth > 1 ? `Queued as number ${depth}.` : "Queued.";
  }

  return {
    queue,

    stop: async (asked: Asked): Promise<string> =>
      (await deps.acts.stopFrom(asked.key, asked.message.source, asked.actor, asked.inputId))
        .message,

    async steer(asked: Asked, text: string): Promise<string | null> {
      if (text === "") return "Usage: /steer <text>";
      if (!lanes.running(asked.key)) return queue(asked, text);
      const { inputId } = await deps.enqueue(asked.key, asMessage(asked, text));
      if (await deps.busyInput.steer(asked.key, inputId))
        return "It goes into the running turn after its next tool call.";
      return `The running turn cannot take it; ${counted(inbox.depth(asked.key).depth, "message")} ${inbox.depth(asked.key).depth === 1 ? "waits" : "wait"} for the next one.`;
    },

    async busy(asked: Asked, mode: BusyMode | null): Promise<string> {
      if (mode !== null)
        await db.write(() => {
          directory.settings.setBusyMode(asked.key, mode);
        });
      const { now, without } = deps.busyMode(asked.key, asked.message);
      const own = directory.settings.busyMode(asked.key) !== null;
      return `Busy mode here: ${now} (${modeWords[now]})${own && now !== without ? `; the settings say ${without}` : ""}.`;
    },

    async background(asked: Asked, task: string): Promise<string> {
      const run = await deps.background.start(asked.key, asked.message, task);
      return `Started beside this conversation (${run.delegationId}). Its result comes here.`;
    },
  };
}

import { WebSocket } from "ws";
import type { CallOutput } from "../contract/calls.ts";
import type { MessageRow } from "../contract/domain.ts";
import { SignalboxError } from "../contract/errors.ts";
import type { Client } from "./client.ts";

export interface Answered {
  outcome: string;
  /** The reply, whole; empty where the turn ended without one. */
  text: string;
  /** Why the turn failed, in words; null where it did not. */
  error: string | null;
}

interface TurnEnd {
  turnId: string;
  outcome: string;
}

/**
 * Sends a message and waits until the turn that took it has ended, however many come before it.
 *
 * @throws {SignalboxError} what the send answers; E_NOT_RUNNING where the gateway stops meanwhile: the message is
 *   kept then.
 */
export async function sendAndWait(
  client: Client,
  key: string,
  text: string,
  send: () => Promise<CallOutput<"sessions.send">>,
): Promise<{ receipt: CallOutput<"sessions.send">; answered: Answered | null }> {
  // Watching before sending: an answer may be quicker than the next call.
  const ends = await watchEnds(client, key);
  try {
    const before = await page(1);
    const newestId = before.at(-1)?.id ?? 0;
    const receipt = await send();
    const { inputId } = receipt;
    if (inputId === null || receipt.duplicate || receipt.reply !== null)
      return { receipt, answered: null };
    const outcomes = new Map<string, string>();
    for (;;) {
      const session = await client.call("sessions.get", { key });
      const waits = session.waiting.some((item) => item.inputId === inputId);
      // After the look at the lane: what it no longer holds is in the transcript by now.
      const rows = (await page(200)).filter((row) => row.id > newestId);
      const turnId = rows.findLast(
        (row) => row.role === "user" && row.text.includes(text.trim()),
      )?.turnId;
      const outcome = turnId == null ? undefined : outcomes.get(turnId);
      if (outcome !== undefined) {
        const texts = rows
          .filter((row) => row.turnId === turnId && row.role === "assistant" && row.text !== "")
          .map((row) => row.text);
        const error = outcome === "failed" ? (session.error?.message ?? null) : null;
        return { receipt, answered: { outcome, text: texts.join("\n\n"), error } };
      }
      // Dropped by a command, or taken by a turn that left nothing: there is no reply to wait for.
      if (!waits && session.turn === null && turnId == null)
        return { receipt, answered: { outcome: "dropped", text: "", error: null } };
      const end = await ends.next();
      outcomes.set(end.turnId, end.outcome);
    }
  } finally {
    ends.close();
  }

  async function page(limit: number): Promise<MessageRow[]> {
    return (await client.call("sessions.history", { key, limit })).messages;
  }
}

async function watchEnds(
  client: Client,
  key: string,
): Promise<{ next(): Promise<TurnEnd>; close(): void }> {
  const socket = new WebSocket(`${client.url.replace(/^http/, "ws")}/ws`, {
    headers: { authorization: `Bearer ${client.token}` },
  });
  const ended: TurnEnd[] = [];
  let gone = false;
  let wake = (): void => undefined;
  const watching = new Promise<void>((resolve) => {
    socket.on("message", (data: Buffer) => {
      const frame = JSON.parse(data.toString("utf8")) as {
        id?: number;
        push?: { name: string; payload: TurnEnd & { key: string } };
      };
      if (frame.id === 1) resolve();
      if (frame.push?.name === "turn.end" && frame.push.payload.key === key)
        ended.push(frame.push.payload);
      wake();
    });
    socket.on("error", () => socket.terminate());
    socket.on("close", () => {
      gone = true;
      resolve();
      wake();
    });
  });
  socket.on("open", () => {
    socket.send(JSON.stringify({ id: 1, call: "sessions.watch", input: { keys: [key] } }));
  });
  await watching;
  return {
    close: () => {
      socket.terminate();
    },
    async next() {
      for (;;) {
        const end = ended.shift();
        if (end !== undefined) return end;
        if (gone)
          throw new SignalboxError(
            "E_NOT_RUNNING",
            "The gateway stopped before the reply came. The message is kept; see it with: signalbox history",
          );
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}

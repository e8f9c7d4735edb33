import type { Command } from "commander";
import type { CallOutput } from "../contract/calls.ts";
import { SignalboxError } from "../contract/errors.ts";
import { asSessionKey } from "../contract/ids.ts";
import type { Client } from "./client.ts";
import { wholeNumber, type CommandContext } from "./command-context.ts";
import { harmless } from "./terminal.ts";
import type { Answered } from "./wait-for-reply.ts";
import { historyText, sessionsText } from "./words.ts";

interface SendOptions {
  new?: string | true;
  wait?: boolean;
  messageId?: string;
}

/** Commands about sessions. */
export function addSessionCommands(program: Command, context: CommandContext): void {
  const { terminal, print } = context;

  program
    .command("sessions [filter...]")
    .description("list sessions, newest first; the filter is the panel's, e.g. state:running")
    .option(
      "--sort <order>",
      "updated, created, title, state, queue, tokens or key; - for descending",
    )
    .option("-n, --limit <n>", "how many, at most 500", wholeNumber)
    .option("--cursor <cursor>", "go on where an earlier page ended (nextCursor)")
    .action(async (words: string[], given: { sort?: string; limit?: number; cursor?: string }) => {
      const filter = words.length === 0 ? {} : { filter: words.join(" ") };
      const found = await (await context.gateway()).call("sessions.list", { ...filter, ...given });
      print(found, sessionsText(found, terminal.nowMs()));
    });

  program
    .command("history <key>")
    .description("the transcript of a session, newest page last")
    .option("-n, --limit <n>", "how many messages, at most 500", wholeNumber)
    .option("--before <id>", "the page that ends before this message", wholeNumber)
    .action(async (key: string, given: { limit?: number; before?: number }) => {
      const gateway = await context.gateway();
      const found = await gateway.call("sessions.history", { key, ...given });
      const first = found.messages[0]?.id;
      const more = found.hasMore && first !== undefined ? `(earlier: --before ${first})\n` : "";
      print(found, more + historyText(found.messages));
    });

  program
    .command("send [keyAndText...]")
    .description(
      "send a message into a session: KEY TEXT, or --new TEXT; without TEXT, standard input",
    )
    .option("--new [title]", "start a new conversation on the local channel")
    .option("--wait", "wait for the reply and print it")
    .option("--message-id <id>", "accept a message with this id only once")
    .addHelpText("after", "\nAfter --new, put -- before the text: signalbox send --new -- TEXT")
    .action(async (words: string[], given: SendOptions) => {
      const [key, ...text] = given.new === undefined ? words : ["", ...words];
      if (key === undefined)
        throw new SignalboxError("E_INPUT", "Name a session key, or use --new.", { field: "key" });
      const said = text.length > 0 ? text.join(" ") : await terminal.readInput();
      if (said.trim() === "")
        throw new SignalboxError("E_INPUT", "There is nothing to send.", { field: "text" });
      const gateway = await context.gateway();
      const to = given.new === undefined ? asSessionKey(key) : await create(gateway, given.new);
      await sendTo(context, gateway, to, said, given);
    });

  const act = (
    name: "suspend" | "unsuspend",
    description: string,
    [changed, unchanged]: readonly [string, string],
  ): void => {
    program
      .command(`${name} <key>`)
      .description(description)
      .action(async (key: string) => {
        const receipt = await (await context.gateway()).call(`sessions.${name}`, { key });
        print(receipt, receipt.changed ? changed : unchanged);
      });
  };
  act("suspend", "make a session's next message start fresh", [
    "Suspended. Its next message starts fresh; `signalbox unsuspend` takes it back.\n",
    "It was suspended already.\n",
  ]);
  act("unsuspend", "take a suspension back", [
    "The suspension is taken back.\n",
    "It was not suspended.\n",
  ]);

  program
    .command("reset <key>")
    .description("end a session's conversation and start a fresh one")
    .option("--title <title>", "title of the fresh one")
    .option("-y, --yes", "do not ask")
    .action(async (key: string, given: { title?: string; yes?: boolean }) => {
      const gateway = await context.gateway();
      if (given.yes !== true && terminal.interactive && !context.json)
        await confirmReset(context, gateway, key);
      const title = given.title === undefined ? {} : { title: given.title };
      const receipt = await gateway.call("sessions.reset", { key, ...title });
      print(receipt, "Reset. The old conversation stays readable.\n");
    });

  program
    .command("stop <key>")
    .description("stop a session's running turn; the conversation stays")
    .action(async (key: string) => {
      const stopped = await (await context.gateway()).call("sessions.stop", { key });
      print(stopped, `${harmless(stopped.message)}\n`);
    });
}

async function create(gateway: Client, title: string | true): Promise<string> {
  const receipt = await gateway.call("sessions.create", title === true ? {} : { title });
  return receipt.key;
}

async function sendTo(
  { terminal, print, json }: CommandContext,
  gateway: Client,
  key: string,
  text: string,
  { wait, messageId }: SendOptions,
): Promise<void> {
  const send = (): Promise<CallOutput<"sessions.send">> =>
    gateway.call("sessions.send", {
      key,
      text,
      ...(messageId === undefined ? {} : { messageId }),
    });
  if (wait !== true) {
    const receipt = await send();
    print(receipt, receipt.reply === null ? receiptText(receipt) : `${harmless(receipt.reply)}\n`);
    return;
  }
  const { sendAndWait } = await import("./wait-for-reply.ts");
  const { receipt, answered } = await sendAndWait(gateway, key, text, send);
  if (!json) terminal.err(receiptText(receipt));
  print({ ...receipt, answer: answered }, answerText(receipt, answered));
}

const receiptText = (receipt: CallOutput<"sessions.send">): string =>
  receipt.duplicate ? `Accepted before: ${receipt.key}\n` : `Accepted: ${receipt.key}\n`;

function answerText(receipt: CallOutput<"sessions.send">, answered: Answered | null): string {
  if (answered === null) return receipt.reply === null ? "" : `${harmless(receipt.reply)}\n`;
  if (answered.text !== "") return `${harmless(answered.text)}\n`;
  const why = answered.error === null ? "" : `: ${harmless(answered.error)}`;
  return `(no reply, ${answered.outcome}${why})\n`;
}

async function confirmReset(
  { terminal }: CommandContext,
  gateway: Client,
  key: string,
): Promise<void> {
  const preview = await gateway.call("sessions.resetPreview", { key });
  const running = preview.runningSinceMs === null ? "" : ", stops the running turn";
  const answer = await terminal.ask(
    `Reset ${key}? It ends a conversation of ${preview.messageCount} messages${running} and drops ${preview.waitingDropped} waiting. [y/N] `,
  );
  if (!/^y(es)?$/i.test(answer.trim()))
    throw new SignalboxError("E_CANCELLED", "Nothing was changed.");
}

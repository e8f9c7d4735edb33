import type { Command } from "commander";
import { SignalboxError } from "../contract/errors.ts";
import { asSessionKey } from "../contract/ids.ts";
import { wholeNumber, type CommandContext } from "./command-context.ts";
import {
  approvalsText,
  backgroundText,
  compressedText,
  contextText,
  explainText,
  lineageText,
  previewText,
  resumableText,
} from "./lifecycle-words.ts";
import { harmless } from "./terminal.ts";

interface CompressOptions {
  preview?: boolean;
  focus?: string;
  keep?: number;
  rotate?: boolean;
}

/** What a command typed into a chat can do, for the operator (lifecycle 18), and what explains a session. */
export function addLifecycleCommands(program: Command, context: CommandContext): void {
  addExplaining(program, context);
  addConversation(program, context);
  addLane(program, context);
  addGateway(program, context);
}

function addExplaining(program: Command, { gateway, print }: CommandContext): void {
  program
    .command("explain <key>")
    .description("why a session is this session: its key, who shares it, what comes next")
    .action(async (key: string) => {
      const found = await (await gateway()).call("sessions.explain", { key });
      print(found, explainText(found));
    });
  program
    .command("lineage <key>")
    .description("a lane's resets, branches, compressions and rewinds")
    .action(async (key: string) => {
      const found = await (await gateway()).call("sessions.lineage", { key });
      print(found, lineageText(found));
    });
  program
    .command("context <key>")
    .description("what the agent is told about where it is")
    .option("--redacted", "as it reads with redaction, whether or not that is on")
    .option("--plain", "as it reads without")
    .action(async (key: string, given: { redacted?: boolean; plain?: boolean }) => {
      const found = await (await gateway()).call("sessions.context", { key });
      print(found, contextText(found, given));
    });
}

function addConversation(program: Command, { gateway, print }: CommandContext): void {
  program
    .command("resume <key> [target]")
    .description("go on in another session, by id or title; without one, list them")
    .action(async (key: string, target?: string) => {
      const client = await gateway();
      if (target === undefined) {
        const found = await client.call("sessions.resumable", { key });
        print(found, resumableText(found));
        return;
      }
      const done = await client.call("sessions.resume", { key, target });
      print(
        done,
        done.changed
          ? `In ${done.sessionId} now: ${done.messageCount} messages.\n`
          : "It is in that session already.\n",
      );
    });
  program
    .command("undo <key> [turns]")
    .description("take the last turns out of a conversation")
    .action(async (key: string, turns?: string) => {
      const count = turns === undefined ? {} : { turns: wholeNumber(turns) };
      const done = await (await gateway()).call("sessions.undo", { key, ...count });
      print(
        done,
        done.edit === null
          ? "There is nothing to undo.\n"
          : `Undid ${done.turnsUndone} turns. signalbox restore ${key} ${done.edit} puts them back.\n`,
      );
    });
  program
    .command("restore <key> <edit>")
    .description("put undone turns back, as long as nothing was said since")
    .action(async (key: string, edit: string) => {
      const done = await (
        await gateway()
      ).call("sessions.restore", { key, edit: wholeNumber(edit) });
      print(done, `${done.rowsRestored} messages are back.\n`);
    });
  program
    .command("retry <key>")
    .description("send the last message again")
    .action(async (key: string) => {
      const done = await (await gateway()).call("sessions.retry", { key });
      print(done, `Trying again: ${harmless(done.text)}\n`);
    });
  program
    .command("compress <key>")
    .description("replace older messages by a summary")
    .option("--preview", "only say what would be summarised")
    .option("--focus <text>", "what the summary must keep")
    .option("--keep <n>", "exchanges at the end that stay as they are", wholeNumber)
    .option("--rotate", "go on in a new session; the old one stays whole")
    .action(async (key: string, given: CompressOptions) => {
      const wish = {
        key,
        ...(given.focus === undefined ? {} : { focus: given.focus }),
        ...(given.keep === undefined ? {} : { keepExchanges: given.keep }),
        ...(given.rotate === true ? { mode: "rotation" as const } : {}),
      };
      const client = await gateway();
      if (given.preview === true) {
        const seen = await client.call("sessions.compressPreview", wish);
        print(seen, previewText(seen));
        return;
      }
      const done = await client.call("sessions.compress", wish);
      print(done, compressedText(done));
    });
  program
    .command("branch <key> [title]")
    .description("go on in a copy of a conversation")
    .action(async (key: string, title?: string) => {
      const named = title === undefined ? {} : { title };
      const done = await (await gateway()).call("sessions.branch", { key, ...named });
      const taken = done.titleTaken ? " Its title is taken, so it has none." : "";
      print(done, `In ${done.sessionId} now; the original is ${done.from}.${taken}\n`);
    });
  program
    .command("title <key> [title]")
    .description("name a session; without a title, take its name away")
    .action(async (key: string, title?: string) => {
      const done = await (await gateway()).call("sessions.title", { key, title: title ?? null });
      print(done, done.changed ? "Named.\n" : "It had that name already.\n");
    });
}

function addLane(program: Command, { gateway, print }: CommandContext): void {
  program
    .command("busy <key> [mode]")
    .description("what a message does to a running turn: interrupt, queue, steer, or default")
    .action(async (key: string, mode?: string) => {
      const set = mode === undefined ? {} : { mode: mode === "default" ? null : modeOf(mode) };
      const now = await (await gateway()).call("sessions.busyMode", { key, ...set });
      print(now, `${now.now}${now.own === null ? " (as the settings say)" : ""}\n`);
    });
  program
    .command("queue <key> <text...>")
    .description("a message that waits for its own turn")
    .action(async (key: string, text: string[]) => {
      const done = await (await gateway()).call("sessions.queue", { key, text: text.join(" ") });
      print(done, `Queued as number ${Math.max(1, done.depth)}.\n`);
    });
  program
    .command("steer <key> <text...>")
    .description("put text into the running turn after its next tool call")
    .action(async (key: string, text: string[]) => {
      const done = await (await gateway()).call("sessions.steer", { key, text: text.join(" ") });
      print(
        done,
        done.steered
          ? "It goes into the running turn after its next tool call.\n"
          : "No running turn can take it; it is queued.\n",
      );
    });
  program
    .command("background <key> <task...>")
    .description("do something beside a conversation; the result comes back into it")
    .action(async (key: string, task: string[]) => {
      const run = await (await gateway()).call("background.start", { key, task: task.join(" ") });
      print(run, `Started: ${run.id}\n`);
    });
  const runs = program.command("runs").description("tasks beside conversations");
  runs
    .command("list [key]", { isDefault: true })
    .description("newest first")
    .action(async (key?: string) => {
      const of = key === undefined ? {} : { key: asSessionKey(key) };
      const found = await (await gateway()).call("background.list", of);
      print(found, backgroundText(found));
    });
  runs
    .command("stop <id>")
    .description("interrupt one; what it has so far comes back")
    .action(async (id: string) => {
      const done = await (await gateway()).call("background.stop", { id });
      print(done, done.stopped ? "Stopped.\n" : "It does not run.\n");
    });
}

function addGateway(program: Command, { gateway, print }: CommandContext): void {
  program
    .command("approvals [key]")
    .description("questions that people were asked; with a key, those that wait there")
    .action(async (key?: string) => {
      const of = key === undefined ? {} : { key: asSessionKey(key) };
      const found = await (await gateway()).call("approvals.list", of);
      print(found, approvalsText(found));
    });
  const answer = (
    name: "approve" | "deny",
    description: string,
    word: (given: { always?: boolean }) => "once" | "always" | "deny",
  ): Command =>
    program
      .command(`${name} <id>`)
      .description(description)
      .action(async (id: string, given: { always?: boolean }) => {
        const done = await (await gateway()).call("approvals.answer", { id, answer: word(given) });
        print(done, `${harmless(done.reply ?? `Answered: ${done.approval.state}`)}\n`);
      });
  answer("approve", "answer a question with yes", (given) =>
    given.always === true ? "always" : "once",
  ).option("--always", "from now on");
  answer("deny", "answer a question with no", () => "deny");
  program
    .command("pause [reason...]")
    .description("start no new turns anywhere; running ones go on")
    .option("--off", "start them again")
    .action(async (reason: string[], given: { off?: boolean }) => {
      const why = reason.length === 0 ? {} : { reason: reason.join(" ") };
      const done = await (
        await gateway()
      ).call("gateway.pause", { on: given.off !== true, ...why });
      const running = done.running > 0 ? ` ${done.running} turns run to their end.` : "";
      print(
        done,
        done.paused === null ? "New turns start.\n" : `New turns are paused.${running}\n`,
      );
    });
  program
    .command("restart")
    .description("start the gateway anew once running turns have ended")
    .action(async () => {
      const done = await (await gateway()).call("gateway.restart", {});
      if (!done.restarting)
        throw new SignalboxError("E_REFUSED", "This host cannot restart the gateway.");
      print(
        done,
        `${done.already ? "Restarting already" : "Restarting"}; ${done.running} turns run.\n`,
      );
    });
}

function modeOf(word: string): "interrupt" | "queue" | "steer" {
  if (word === "interrupt" || word === "queue" || word === "steer") return word;
  throw new SignalboxError("E_INPUT", "The mode is interrupt, queue, steer or default.", {
    field: "mode",
  });
}

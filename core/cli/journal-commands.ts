import { setTimeout as delay } from "node:timers/promises";
import type { Command } from "commander";
import type { CallOutput } from "../contract/calls.ts";
import type { JournalEvent } from "../contract/calls-journal.ts";
import { localTime } from "../state/owner-record.ts";
import { wholeNumber, type CommandContext } from "./command-context.ts";
import { harmless } from "./terminal.ts";
import { ago, table } from "./words.ts";

/** How often `journal --follow` asks for more, in milliseconds. */
const followMs = 500;

/** Commands about the signal journal, watches, goals and child runs; and the MCP server over stdio. */
export function addJournalCommands(program: Command, context: CommandContext): void {
  const { terminal, print } = context;

  program
    .command("journal [key]")
    .description("signal events, newest last; of all sessions or of one; never message text")
    .option("-n, --limit <n>", "how many, at most 500", wholeNumber)
    .option("--kind <kind...>", "only these kinds")
    .option("--before <sequence>", "the page that ends before this number", wholeNumber)
    .option("-f, --follow", "go on with new events as they come")
    .option("--lines", "one JSON object a line, for other programs")
    .action(
      async (
        key: string | undefined,
        given: {
          limit?: number;
          kind?: string[];
          before?: number;
          follow?: boolean;
          lines?: boolean;
        },
      ) => {
        const gateway = await context.gateway();
        const filter = {
          ...(key === undefined ? {} : { key }),
          ...(given.kind === undefined ? {} : { kinds: given.kind }),
        };
        const shown = given.lines === true ? jsonLines : eventsText;
        const page = await gateway.call("journal.list", {
          ...filter,
          limit: given.limit ?? 50,
          ...(given.before === undefined ? {} : { before: given.before }),
        });
        print(page, shown(page.events.toReversed()));
        let seen = page.head;
        while (given.follow === true && !context.json) {
          await delay(followMs);
          const next = await gateway.call("journal.list", { ...filter, limit: 500 });
          terminal.out(shown(next.events.filter((event) => event.sequence > seen).toReversed()));
          seen = Math.max(seen, next.head);
        }
      },
    );

  program
    .command("changes <key> [since]")
    .description("what happened to a session after a version; looking moves no cursor")
    .option("--all", "every page, to the end")
    .action(async (key: string, since: string | undefined, given: { all?: boolean }) => {
      const gateway = await context.gateway();
      const from = since === undefined ? 0 : wholeNumber(since);
      const found = await gateway.call("journal.changesSince", { key, since: from });
      let page = found;
      while (given.all === true && page.more && page.next !== null) {
        page = await gateway.call("journal.changesSince", { key, since: from, after: page.next });
        found.events.push(...page.events);
      }
      found.more = page.more;
      found.next = page.next;
      print(found, changesText(found));
    });

  program
    .command("watchers [key]")
    .description("who watches whom, and who has not been told yet")
    .option("-n, --limit <n>", "how many, at most 500", wholeNumber)
    .action(async (key: string | undefined, given: { limit?: number }) => {
      const found = await (
        await context.gateway()
      ).call("watchers.list", { ...(key === undefined ? {} : { key }), ...given });
      print(found, watchersText(found, terminal.nowMs()));
    });

  program
    .command("watch <watcher> <target>")
    .description("let one session be told, once, when somebody else changes another")
    .action(async (watcherKey: string, targetKey: string) => {
      const done = await (
        await context.gateway()
      ).call("watchers.start", { watcherKey, targetKey });
      print(
        done,
        done.watching
          ? `${watcherKey} watches ${targetKey}.\n`
          : "A session cannot watch itself.\n",
      );
    });

  program
    .command("unwatch <watcher> <target>")
    .description("end a watch")
    .action(async (watcherKey: string, targetKey: string) => {
      const done = await (await context.gateway()).call("watchers.stop", { watcherKey, targetKey });
      print(done, done.changed ? "Watches no more.\n" : "It did not watch.\n");
    });

  program
    .command("goal <key> [action] [text...]")
    .description("the goal of a session; actions: set TEXT, pause, resume, block, complete, clear")
    .action(async (key: string, action: string | undefined, words: string[]) => {
      const gateway = await context.gateway();
      const { goal } = await gateway.call("goals.get", { key });
      const text = words.join(" ");
      switch (action) {
        case undefined:
          print({ goal }, goalText({ goal }));
          return;
        case "set": {
          const done = goal
            ? await gateway.call("goals.update", {
                key,
                goalId: goal.goalId,
                action: "edit",
                objective: text,
              })
            : await gateway.call("goals.start", { key, objective: text });
          print(done, goalText(done));
          return;
        }
        case "clear": {
          const done = await gateway.call("goals.clear", { key });
          print(done, goalText(done));
          return;
        }
        default: {
          const done = await gateway.call("goals.update", {
            key,
            goalId: goal?.goalId ?? "",
            action: action as "pause", // anything else is refused at the door, by name
            ...(text === "" ? {} : { note: text }),
          });
          print(done, goalText(done));
        }
      }
    });

  const children = program
    .command("children [key]")
    .description("child runs, newest first; of all sessions or of one")
    .option("--open", "only those that have not ended")
    .action(async (key: string | undefined, given: { open?: boolean }) => {
      const found = await (
        await context.gateway()
      ).call("children.list", { ...(key === undefined ? {} : { key }), ...given });
      print(found, childrenText(found, terminal.nowMs()));
    });
  children
    .command("spawn <key> <task...>")
    .description("give a task to a child session of a session")
    .option("--timeout <seconds>", "stop it after this long", wholeNumber)
    .action(async (key: string, words: string[], given: { timeout?: number }) => {
      const done = await (
        await context.gateway()
      ).call("children.spawn", {
        key,
        task: words.join(" "),
        ...(given.timeout === undefined ? {} : { timeoutSeconds: given.timeout }),
      });
      print(done, `${done.run.runId}  ${done.run.childKey}\n`);
    });
  children
    .command("cancel <runId>")
    .description("stop a child run, with its own children")
    .action(async (runId: string) => {
      const done = await (await context.gateway()).call("children.cancel", { runId });
      print(done, done.changed ? "Cancelled.\n" : "It had ended already.\n");
    });

  program
    .command("mcp")
    .description("the session tools as an MCP server on standard input and output")
    .option("--session <key>", "act as this session instead of one named after the program")
    .action(async (given: { session?: string }) => {
      const { proxyMcp } = await import("./mcp-proxy.ts");
      await proxyMcp(await context.gateway(), given.session ?? null);
    });
}

const jsonLines = (events: readonly JournalEvent[]): string =>
  events.map((event) => `${JSON.stringify(event)}\n`).join("");

const actorText = ({ type, id, title }: JournalEvent["actor"]): string => {
  const name = title === null || title === "" ? id : title;
  return name === null ? type : `${type} ${name}`;
};

const eventsText = (events: readonly JournalEvent[]): string =>
  events.length === 0
    ? ""
    : table(
        events.map((event) => [
          String(event.sequence),
          localTime(event.atMs),
          event.kind,
          actorText(event.actor),
          event.title === "" ? event.key : event.title,
          event.summary,
        ]),
      );

function changesText(found: CallOutput<"journal.changesSince">): string {
  const gap = found.historyGap
    ? `History gap: versions below ${found.earliestAvailableSequence} are no longer kept. Read the whole session: signalbox history ${found.key}\n`
    : "";
  const counts = found.counts.map(({ kind, count }) => `${count} ${kind}`).join(", ");
  const head = `Version ${found.stateVersion}; ${found.total} after ${found.since}${counts === "" ? "" : `: ${counts}`}\n`;
  const more = found.more
    ? `(showing ${found.events.length} of ${found.total}; --all shows the rest)\n`
    : "";
  return `${gap}${head}${eventsText(found.events)}${more}`;
}

function watchersText({ pairs, total }: CallOutput<"watchers.list">, nowMs: number): string {
  if (pairs.length === 0) return "Nobody watches.\n";
  const rows = pairs.map((pair) => [
    pair.pending ? "pending" : "quiet",
    `${pair.lastSeen}/${pair.notified}/${pair.material}`,
    String(pair.head),
    pair.origin,
    ago(pair.updatedAtMs, nowMs),
    pair.watcherKey,
    pair.targetKey,
  ]);
  const more = total > pairs.length ? `${pairs.length} of ${total}. --limit shows more.\n` : "";
  return table([["STATE", "MARKS", "HEAD", "ORIGIN", "AGO", "WATCHER", "TARGET"], ...rows]) + more;
}

function goalText({ goal }: Pick<CallOutput<"goals.get">, "goal">): string {
  if (!goal) return "No goal.\n";
  const note = goal.note === null ? "" : `Note: ${harmless(goal.note)}\n`;
  const budget =
    goal.tokenBudget === null ? "" : ` (${goal.tokensUsed} of ${goal.tokenBudget} tokens)`;
  return `${goal.status}${budget}\n${harmless(goal.objective)}\n${note}`;
}

function childrenText({ children }: CallOutput<"children.list">, nowMs: number): string {
  if (children.length === 0) return "No child runs.\n";
  return table([
    ["STATE", "AGO", "RUN", "LABEL", "CHILD"],
    ...children.map((run) => [
      run.state,
      ago(run.createdAtMs, nowMs),
      run.runId,
      run.label,
      run.childKey,
    ]),
  ]);
}

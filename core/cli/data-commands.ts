import { open } from "node:fs/promises";
import { resolve } from "node:path";
import { Option } from "commander";
import type { Command } from "commander";
import type { CallInput, CallOutput } from "../contract/calls.ts";
import type { ImportReport } from "../contract/calls-data.ts";
import { SignalboxError } from "../contract/errors.ts";
import type { Client } from "./client.ts";
import { wholeNumber, type CommandContext } from "./command-context.ts";
import { harmless } from "./terminal.ts";
import { ago, table } from "./words.ts";

type Hits = CallOutput<"search.messages">;

interface ExportOptions {
  format: "md" | "json";
  out?: string;
  session?: string;
}

/** Commands that search, export and import. */
export function addDataCommands(program: Command, context: CommandContext): void {
  const { terminal, print } = context;

  program
    .command("search <words...>")
    .description('find messages: words, wor* for a beginning, "in a row" in quotes of its own')
    .option("--key <key>", "in one session's lane only")
    .option("-n, --limit <n>", "how many, at most 100", wholeNumber)
    .option("--cursor <cursor>", "go on where an earlier page ended (nextCursor)")
    .action(async (words: string[], given: { key?: string; limit?: number; cursor?: string }) => {
      const found = await (
        await context.gateway()
      ).call("search.messages", { query: words.join(" "), ...given });
      print(found, hitsText(found, terminal.nowMs()));
    });

  program
    .command("export <key>")
    .description("a session's transcript as a file; to standard output, or to --out")
    .addOption(new Option("--format <format>", "md or json").choices(["md", "json"]).default("md"))
    .option("--session <id>", "an earlier session of the lane")
    .option("--out <file>", "write to this file, which must not exist")
    .action(async (key: string, given: ExportOptions) => {
      const gateway = await context.gateway();
      const asked: CallInput<"sessions.export"> = {
        key,
        format: given.format === "md" ? "markdown" : "json",
        ...(given.session === undefined ? {} : { sessionId: given.session }),
      };
      if (given.out === undefined) await toTerminal(context, gateway, asked);
      else await toFile(context, gateway, asked, given.out);
    });

  program
    .command("import <dir>")
    .description("take over the conversations of another gateway (hermes-agent, OpenClaw)")
    .option("--dry-run", "only tell what would be taken over, and what not and why")
    .action(async (dir: string, given: { dryRun?: boolean }) => {
      const gateway = await context.gateway();
      const asked = { dir: resolve(dir) };
      const isDry = given.dryRun === true;
      const status = await gateway.call(isDry ? "import.preview" : "import.run", asked);
      const { report } = status;
      print(status, report ? reportText(report, isDry) : `${status.state}\n`);
    });
}

function hitsText({ hits, complete, nextCursor, index }: Hits, nowMs: number): string {
  if (hits.length === 0 && complete) return "Nothing was found.\n";
  const rows = hits.map((hit) => [
    ago(hit.atMs, nowMs),
    hit.from ?? hit.role,
    hit.key ?? hit.sessionId,
    hit.snippet,
  ]);
  const notes = [
    nextCursor === null ? "" : `More: --cursor ${nextCursor}\n`,
    complete ? "" : "Time ran out before everything was looked at; the cursor goes on.\n",
    index.state === "building" ? "The search index is being made; this took longer.\n" : "",
  ];
  return table([["AGO", "WHO", "WHERE", "WHAT"], ...rows]) + notes.join("");
}

/** Each piece as it comes, so that no transcript is ever whole in memory. */
async function eachPiece(
  gateway: Client,
  asked: CallInput<"sessions.export">,
  take: (chunk: string) => Promise<void> | void,
): Promise<void> {
  let cursor: string | null = null;
  do {
    const piece: CallOutput<"sessions.export"> = await gateway.call("sessions.export", {
      ...asked,
      ...(cursor === null ? {} : { cursor }),
    });
    await take(piece.chunk);
    cursor = piece.nextCursor;
  } while (cursor !== null);
}

async function toTerminal(
  { terminal, json, print }: CommandContext,
  gateway: Client,
  asked: CallInput<"sessions.export">,
): Promise<void> {
  if (!json) {
    await eachPiece(gateway, asked, (chunk) => {
      terminal.out(terminal.interactive ? harmless(chunk) : chunk);
    });
    return;
  }
  let text = "";
  await eachPiece(gateway, asked, (chunk) => {
    text += chunk;
  });
  print({ format: asked.format, text }, text);
}

async function toFile(
  { print }: CommandContext,
  gateway: Client,
  asked: CallInput<"sessions.export">,
  out: string,
): Promise<void> {
  const path = resolve(out);
  const file = await open(path, "wx", 0o600).catch((cause: unknown) => {
    throw new SignalboxError(
      "E_CONFLICT",
      `${path} is there already, or cannot be written.`,
      {},
      { cause },
    );
  });
  let characters = 0;
  try {
    await eachPiece(gateway, asked, async (chunk) => {
      await file.writeFile(chunk);
      characters += chunk.length;
    });
  } finally {
    await file.close();
  }
  print({ file: path, characters }, `Written to ${path}\n`);
}

function reportText(report: ImportReport, isDry: boolean): string {
  const { found, taken } = report;
  const list = (title: string, findings: ImportReport["skipped"], total: number): string =>
    total === 0
      ? ""
      : `\n${title} (${total}):\n${findings
          .map(({ what, reason }) => harmless(`  ${what}: ${reason}\n`))
          .join("")}${total > findings.length ? `  and ${total - findings.length} more\n` : ""}`;
  return (
    harmless(`${report.dir} (${report.kind})\n\n`) +
    table([
      ["", "IN IT", isDry ? "WOULD BE NEW" : "NEW HERE"],
      ["Lanes", String(found.lanes), String(taken.lanes)],
      ["Sessions", String(found.sessions), String(taken.sessions)],
      ["Messages", String(found.messages), String(taken.messages)],
    ]) +
    list("In part", report.partial, report.partialTotal) +
    list("Left out", report.skipped, report.skippedTotal) +
    (isDry ? "\nNothing was changed. Without --dry-run it is taken over.\n" : "")
  );
}

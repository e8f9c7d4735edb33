import { Command, CommanderError } from "commander";
import { SignalboxError, toWire } from "../contract/errors.ts";
import { dataDirFor } from "../state/data-dir.ts";
import { version } from "../version.ts";
import { findGateway } from "./client.ts";
import type { CommandContext } from "./command-context.ts";
import { addDataCommands } from "./data-commands.ts";
import { addJournalCommands } from "./journal-commands.ts";
import { addLifecycleCommands } from "./lifecycle-commands.ts";
import { addSessionCommands } from "./session-commands.ts";
import { addGatewayCommands } from "./gateway-commands.ts";
import type { Terminal } from "./terminal.ts";

/**
 * Runs one command line.
 *
 * @param args Without the program's name.
 * @returns the exit code: 0, or 1 for whatever went wrong.
 */
export async function runCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  const program = new Command("signalbox");
  const options = (): { data?: string; json?: boolean } => program.opts();
  const context: CommandContext = {
    terminal,
    get dataDir() {
      return dataDirFor(options().data, terminal.env);
    },
    get json() {
      return options().json === true;
    },
    gateway: () => findGateway(context.dataDir),
    print(value, text) {
      terminal.out(context.json ? `${JSON.stringify(value)}\n` : text);
    },
  };
  // Usage errors come before options are read, so the wish for JSON is looked up by hand.
  const json = args.includes("--json");
  program
    .description("The Signalbox gateway: people in messaging channels, AI agents, one panel.")
    .version(version, "--version", "print the version")
    .helpOption("-h, --help", "print this help")
    .option("--data <dir>", "data directory (default: SIGNALBOX_DATA, else the platform's place)")
    .option("--json", "print one JSON value and nothing else")
    .showSuggestionAfterError()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => {
        terminal.out(text);
      },
      writeErr: (text) => {
        if (!json) terminal.err(text);
      },
    });
  addGatewayCommands(program, context);
  addSessionCommands(program, context);
  addLifecycleCommands(program, context);
  addDataCommands(program, context);
  addJournalCommands(program, context);
  try {
    await program.parseAsync(args, { from: "user" });
    return 0;
  } catch (thrown) {
    if (thrown instanceof CommanderError) return usageError(thrown, json, terminal);
    const error = toWire(thrown);
    const said = thrown instanceof SignalboxError ? thrown.message : describe(thrown);
    if (json)
      terminal.out(`${JSON.stringify({ ok: false, error: { ...error, message: said } })}\n`);
    else terminal.err(`signalbox: ${said}${remedyOf(thrown)}\n`);
    return 1;
  }
}

function usageError(thrown: CommanderError, json: boolean, terminal: Terminal): number {
  if (thrown.exitCode === 0) return 0; // --help, --version
  if (json) {
    const message = thrown.message.replace(/^error: /, "");
    const error = { code: "E_INPUT", message, details: {} };
    terminal.out(`${JSON.stringify({ ok: false, error })}\n`);
  }
  return 1;
}

const describe = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message : "Something went wrong.";

function remedyOf(thrown: unknown): string {
  const remedy = thrown instanceof SignalboxError ? thrown.details["remedy"] : null;
  return typeof remedy === "string" ? ` ${remedy}` : "";
}

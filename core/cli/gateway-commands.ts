import { setTimeout as delay } from "node:timers/promises";
import { type Command, Option } from "commander";
import { SignalboxError } from "../contract/errors.ts";
import { openBrowser } from "./open-browser.ts";
import { portNumber, wholeNumber, type CommandContext } from "./command-context.ts";
import { harmless } from "./terminal.ts";
import { agentsText, channelsText, logText, statusText } from "./words.ts";

/** How often `logs --follow` asks for more, in milliseconds. */
const FOLLOW_MS = 500;

/** Commands about the gateway itself. */
export function addGatewayCommands(program: Command, context: CommandContext): void {
  const { terminal, print } = context;

  program
    .command("serve")
    .description("run the gateway here, with its panel on a local port, until Ctrl+C")
    .option("--port <n>", "local port; a busy one gives way to the next free one", portNumber)
    .option("--open", "open the panel in a browser")
    .action(async (given: { port?: number; open?: boolean }) => {
      const { serve } = await import("./serve.ts");
      await serve({ dataDir: context.dataDir, json: context.json, ...given }, terminal);
    });

  program
    .command("status")
    .description("what runs, since when, and what it counts")
    .action(async () => {
      const gateway = await context.gateway();
      const status = await gateway.call("gateway.status", {});
      print(status, statusText(status, gateway.url));
    });

  program
    .command("open")
    .description("print a link that logs a browser in once, and open it")
    .option("--no-browser", "only print the link")
    .action(async (given: { browser: boolean }) => {
      const url = await (await context.gateway()).loginLink();
      print({ url }, `${url}\n`);
      // A link that was opened is used up: with --json it is for somebody else.
      if (given.browser && !context.json) await openBrowser(url, terminal.env);
    });

  program
    .command("logs")
    .description("the newest log lines")
    .option("-n, --limit <n>", "how many, at most 1000", wholeNumber)
    .addOption(
      new Option("--level <level>", "this level and worse").choices([
        "debug",
        "info",
        "warn",
        "error",
      ]),
    )
    .option("-f, --follow", "go on with new lines as they come")
    .action(async (given: { limit?: number; level?: "info"; follow?: boolean }) => {
      const gateway = await context.gateway();
      const { limit = 50, level } = given;
      const filter = level === undefined ? {} : { level };
      const { lines } = await gateway.call("logs.tail", { limit, ...filter });
      print({ lines }, lines.map(logText).join(""));
      let after = lines.at(-1)?.seq ?? 0;
      while (given.follow === true && !context.json) {
        await delay(FOLLOW_MS);
        const more = await gateway.call("logs.tail", { limit: 1000, after, ...filter });
        terminal.out(more.lines.map(logText).join(""));
        after = more.lines.at(-1)?.seq ?? after;
      }
    });

  program
    .command("agents")
    .description("the agents that can answer")
    .option("--probe", "ask each server whether it answers")
    .action(async (given: { probe?: boolean }) => {
      const gateway = await context.gateway();
      const found = await gateway.call(given.probe === true ? "agents.probe" : "agents.list", {});
      print(found, agentsText(found.agents));
    });

  program
    .command("channels")
    .description("the channels and how they are")
    .action(async () => {
      const found = await (await context.gateway()).call("channels.list", {});
      print(found, channelsText(found.channels, terminal.nowMs()));
    });

  program
    .command("call <method> [json]")
    .description("any call of the contract, its parameters as JSON; prints JSON")
    .action(async (method: string, json: string | undefined) => {
      const params = json === undefined ? {} : parse(json);
      const value = await (await context.gateway()).callNamed(method, params);
      print(value, `${JSON.stringify(value, null, 2)}\n`);
    });

  const config = program.command("config").description("read and change settings");
  config
    .command("get [path]")
    .description("the settings in force, or those at a path such as log.level")
    .action(async (path: string | undefined) => {
      const input = path === undefined ? {} : { path };
      const found = await (await context.gateway()).call("config.get", input);
      print(found, valueText(found.value));
    });
  config
    .command("set <path> <value>")
    .description("change one setting; the value is JSON or plain text, null removes it")
    .action(async (path: string, text: string) => {
      const value = looseValue(text);
      const found = await (await context.gateway()).call("config.set", { path, value });
      print(found, valueText(found.value));
    });
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json) as unknown;
  } catch {
    throw new SignalboxError("E_INPUT", `The parameters are not JSON: ${json.slice(0, 60)}`, {
      field: "params",
    });
  }
}

/** JSON where it is JSON; what is not, such as `debug` or an address, is meant as text. */
function looseValue(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

const valueText = (value: unknown): string =>
  `${typeof value === "string" ? harmless(value) : JSON.stringify(value, null, 2)}\n`;

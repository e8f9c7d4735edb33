import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { SignalboxError } from "../contract/errors.ts";
import { openConfig, type OpenConfig, type OpenConfigOptions } from "./config.ts";

let dir: string;
const opened: OpenConfig[] = [];
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "config-"));
});
afterEach(() => {
  for (const config of opened.splice(0)) config.close();
  rmSync(dir, { recursive: true, force: true });
});

const file = (name = "config.yaml"): string => join(dir, name);
const text = (name?: string): string => readFileSync(file(name), "utf8");
function open(yaml?: string, options: OpenConfigOptions = {}): OpenConfig {
  if (yaml !== undefined) writeFileSync(file(), yaml);
  const config = openConfig(dir, { watchMs: 0, ...options });
  opened.push(config);
  return config;
}
function refusal(act: () => unknown): SignalboxError {
  try {
    act();
  } catch (thrown) {
    if (thrown instanceof SignalboxError) return thrown;
    throw thrown;
  }
  throw new Error("it was not refused");
}

describe("reading", () => {
  test("no file is every default, and writes nothing", () => {
    const { value, problems, safeMode } = open();
    expect(value).toMatchObject({
      group_sessions_per_user: true,
      max_concurrent_sessions: null,
      defaultAgent: "auto",
      agents: {},
      gateway: { delivery_unknown: "redeliver", delivery_stale_minutes: 1440 },
      agent: { gateway_timeout: 1800, agent_cache: { memory_high_mb: "auto", max_size: 128 } },
      channels: { local: { enabled: true }, simulator: { enabled: true }, webhook: {} },
      server: { port: 0, host: "127.0.0.1" },
      display: { busy_input_mode: "interrupt", busy_text_mode: null },
    });
    expect(problems).toEqual([]);
    expect(safeMode).toBe(false);
    expect(readdirSync(dir)).toEqual([]);
  });

  test("sections left empty are their defaults", () => {
    const { value, problems } = open("agents:\ngateway:\nchannels:\n  webhook:\n# nothing else\n");
    expect(problems).toEqual([]);
    expect(value.gateway.delivery_ledger).toBe(true);
  });

  test.each([
    ["true", true],
    ["yes", true],
    ["ON", true],
    ["1", true],
    ["'on'", true],
    ["false", false],
    ["0", false],
    ["no", false],
    ["off", false],
    ["", true],
  ])("a yes or no may be written %s", (word, meant) => {
    const { value, problems } = open(`gateway:\n  delivery_ledger: ${word}\n`);
    expect(value.gateway.delivery_ledger).toBe(meant);
    expect(problems).toEqual([]);
  });

  test("a number or a yes/no that is none costs itself, with its place and the remedy", () => {
    const { value, problems, safeMode } = open(
      "# mine\nsession_store_max_age_days: soon\nagent:\n  agent_cache:\n    max_size: 0\n  gateway_timeout: '60'\nprivacy: {redact_pii: perhaps}\n",
    );
    expect(value.session_store_max_age_days).toBe(0);
    expect(value.agent).toMatchObject({ gateway_timeout: 60, agent_cache: { max_size: 128 } });
    expect(safeMode).toBe(false);
    expect(problems).toEqual([
      {
        code: "config.value",
        message: 'session_store_max_age_days: "soon" is not a number. The default, 0, is used.',
        where: "config.yaml, line 2, column 1",
        remedy: "Write a number of 0 or more.",
      },
      {
        code: "config.value",
        message: "agent.agent_cache.max_size: 0 is under 1. The default, 128, is used.",
        where: "config.yaml, line 5, column 5",
        remedy: "Write a whole number of 1 or more.",
      },
      {
        code: "config.value",
        message: 'privacy.redact_pii: "perhaps" is not a yes or no. The default, false, is used.',
        where: "config.yaml, line 7, column 11",
        remedy: "Write true or false.",
      },
    ]);
  });

  test.each([
    ["auto", "auto"],
    ["off", 0],
    ["0", 0],
    ["512", 512],
    ["'768'", 768],
    ["lots", "auto"],
  ])("memory_high_mb: %s", (word, meant) => {
    const { value, problems } = open(`agent: {agent_cache: {memory_high_mb: ${word}}}\n`);
    expect(value.agent.agent_cache.memory_high_mb).toBe(meant);
    expect(problems).toHaveLength(word === "lots" ? 1 : 0);
  });

  test("unknown keys are reported and kept; reset timers are accepted in silence", () => {
    const yaml =
      "gatway:\n  x: 1\nsession_reset: {mode: daily}\nagent: {idle_minutes: 5, colour: red}\n";
    const { problems, value } = open(yaml);
    expect(problems.map(({ code, where }) => [code, where])).toEqual([
      ["config.unknown_key", "config.yaml, line 1, column 1"],
      ["config.unknown_key", "config.yaml, line 4, column 26"],
    ]);
    expect(value.agent.gateway_timeout).toBe(1800);
    expect(text()).toBe(yaml);
  });
});

describe("a wrong file", () => {
  test.each([
    ["bad YAML", "log:\n  level: [info\n", /not valid YAML/, 3],
    ["a key twice", "log: {level: info}\nlog: {level: warn}\n", /not valid YAML/, 2],
    ["a section that is none", "server: 5\nagents: many\n", /server: 5 is not a section/, 1],
    ["a wrong word", "log:\n  level: loud\n", /log.level: "loud" is not one of debug, info/, 2],
    ["an agent without address", "agents:\n  a:\n    model: m\n", /agents.a.baseUrl is missing/, 2],
    ["an address that is none", "agents: {a: {baseUrl: 'file:///x'}}\n", /agents.a.baseUrl/, 1],
    ["a list", "- a\n- b\n", /The file: a list is not a section/, 1],
    ["an open server", "server:\n  host: 0.0.0.0\n", /must be this machine|is not one of/, 2],
    ["an id with a dot", "agents: {a.b: {baseUrl: 'http://x'}}\n", /not a usable id/, 1],
  ])("%s: safe mode, told with its line, nothing changed", (_name, yaml, message, line) => {
    const config = open(yaml);
    expect(config.safeMode).toBe(true);
    expect(config.problems[0]?.code).toBe("config.safe_mode");
    expect(config.problems[1]?.message).toMatch(message);
    expect(config.problems[1]?.where).toContain(`config.yaml, line ${line}, column `);
    expect(config.problems[1]?.remedy).not.toBe("");
    expect(config.value.server.host).toBe("127.0.0.1");

    const error = refusal(() => config.set("log.level", "warn"));
    expect(error.code).toBe("E_CONFIG");
    expect(error.details["line"]).toBe(line);
    expect(text()).toBe(yaml);
    expect(readdirSync(dir)).toEqual(["config.yaml"]);
  });

  test("the last good settings stay in force, until the file is right again", () => {
    const config = open("log: {level: warn}\n");
    expect(text("config.last-good.yaml")).toBe("log: {level: warn}\n");
    const heard: string[] = [];
    config.onChange((path) => heard.push(path));
    writeFileSync(file(), "log: {level: warn\n");
    config.reload();
    expect(config.safeMode).toBe(true);
    expect(config.value.log.level).toBe("warn");
    expect(text("config.last-good.yaml")).toBe("log: {level: warn}\n");
    expect(open().value.log.level).toBe("warn");

    writeFileSync(file(), "log: {level: error}\n");
    config.reload();
    expect(config.safeMode).toBe(false);
    expect(config.value.log.level).toBe("error");
    expect(heard).toEqual(["", ""]);
  });

  test("a directory in its place is told, not thrown", () => {
    rmSync(dir, { recursive: true });
    dir = mkdtempSync(join(tmpdir(), "config-"));
    const place = join(dir, "inner");
    writeFileSync(place, "");
    const config = openConfig(place, { watchMs: 0 });
    expect(config.safeMode).toBe(true);
    expect(config.problems[1]?.code).toBe("config.unreadable");
    expect(refusal(() => config.set("log.level", "warn")).code).toBe("E_CONFIG");
  });
});

describe("setting", () => {
  test("a person's comments, order and odd keys stay", () => {
    const config = open(
      "# About me\nzeta: 1 # unknown, mine\n\n# the log\nlog:\n  level: info # loud enough\n\nagents: # none yet\n# the end\n",
    );
    expect(config.set("log.level", "debug")).toBe("debug");
    expect(config.set("agents.big.baseUrl", "http://127.0.0.1:11434/v1")).toBe(
      "http://127.0.0.1:11434/v1",
    );
    expect(config.set("server.port", 4000)).toBe(4000);
    expect(text()).toBe(
      "# About me\nzeta: 1 # unknown, mine\n\n# the log\nlog:\n  level: debug # loud enough\n\nagents:\n  # none yet\n  # the end\n  big:\n    baseUrl: http://127.0.0.1:11434/v1\nserver:\n  port: 4000\n",
    );
    expect(config.value.agents["big"]?.model).toBeNull();
  });

  test("null takes a setting out, and the sections it leaves empty", () => {
    const config = open("# top\nagent:\n  agent_cache:\n    max_size: 5\nlog:\n  level: warn\n");
    expect(config.set("agent.agent_cache.max_size", null)).toBe(128);
    expect(text()).toBe("# top\n\nlog:\n  level: warn\n");
    config.set("log.level", null);
    expect(text()).toBe("# top\n");
    expect(config.set("log.level", null)).toBe("info");
    config.set("log.level", "error");
    expect(text()).toBe("# top\n\nlog:\n  level: error\n");
  });

  test("a first setting makes a private file", () => {
    const config = open();
    config.set("log.level", "debug");
    expect(text()).toBe("log:\n  level: debug\n");
    if (process.platform !== "win32") expect(statSync(file()).mode & 0o777).toBe(0o600);
    expect(config.get("log.level")).toBe("debug");
  });

  test("CRLF stays CRLF", () => {
    open("log:\r\n  level: info\r\n").set("log.level", "warn");
    expect(text()).toBe("log:\r\n  level: warn\r\n");
  });

  test.each([
    ["log.level", "loud", "log.level"],
    ["nothing.here", 1, "nothing"],
    ["log.colour", "red", "log.colour"],
    ["session_store_max_age_days", "soon", "session_store_max_age_days"],
    ["agents.x.model", "m", "agents.x.baseUrl"],
    ["agents", 5, "agents"],
    ["", 1, "path"],
    ["log..level", 1, "path"],
    ["agents.x.apiKey.secret", "a-name", "path"],
  ])("set %s to %j is refused and changes nothing", (path, value, field) => {
    const config = open("log:\n  level: warn\n");
    const error = refusal(() => config.set(path, value));
    expect([error.code, error.details["field"]]).toEqual(["E_INPUT", field]);
    expect(text()).toBe("log:\n  level: warn\n");
    expect(config.value.log.level).toBe("warn");
  });

  test("what was odd before does not stand in the way", () => {
    const config = open("max_concurrent_sessions: many\n");
    config.set("log.level", "warn");
    expect(config.problems).toHaveLength(1);
    expect(config.value.log.level).toBe("warn");
  });

  test("an edit made meanwhile in an editor is not lost", () => {
    const config = open("log: {level: warn}\n");
    writeFileSync(file(), "log: {level: warn}\nserver: {port: 99}\n");
    config.set("log.level", "error");
    expect(config.value.server.port).toBe(99);
  });

  test("listeners hear the path once", () => {
    const config = open();
    const heard: string[] = [];
    const stop = config.onChange((path) => heard.push(path));
    config.set("log.level", "warn");
    config.reload();
    stop();
    config.set("log.level", "error");
    expect(heard).toEqual(["log.level"]);
  });

  test("a path that is no setting is not found", () => {
    expect(refusal(() => open().get("log.colour")).code).toBe("E_NOT_FOUND");
    expect(refusal(() => open().get("__proto__")).code).toBe("E_NOT_FOUND");
  });
});

test("an outside edit is noticed", async () => {
  const config = open("log: {level: warn}\n", { watchMs: 5 });
  const changed = new Promise<string>((resolve) => {
    config.onChange(resolve);
  });
  writeFileSync(file(), "log: {level: debug} # now\n");
  expect(await changed).toBe("");
  expect(config.value.log.level).toBe("debug");
});

describe("secrets", () => {
  const agent = "agents:\n  a:\n    baseUrl: http://127.0.0.1:1/v1\n";

  test("a key goes to the secret store, the file and every answer carry none", () => {
    const told: string[] = [];
    const config = open(agent, { onSecret: (value) => told.push(value) });
    expect(config.get("agents.a.apiKey")).toEqual({ hasKey: false });
    expect(config.set("agents.a.apiKey", "sk-very-secret")).toEqual({ hasKey: true });
    expect(config.value.agents["a"]?.apiKey).toBe("sk-very-secret");
    expect(text()).toBe(`${agent}    apiKey:\n      secret: agents.a.apiKey\n`);
    expect(JSON.stringify([config.get(), config.problems])).not.toContain("very-secret");
    expect(config.get("agents.a.apiKey")).toEqual({ hasKey: true });
    expect(told).toContain("sk-very-secret");
    expect(text("secrets.json")).toContain("sk-very-secret");
    if (process.platform !== "win32")
      expect(statSync(file("secrets.json")).mode & 0o777).toBe(0o600);
    expect(open().value.agents["a"]?.apiKey).toBe("sk-very-secret");
  });

  test("a whole entry may be written back as it was read", () => {
    const config = open(agent);
    config.set("agents.a.apiKey", "sk-very-secret");
    config.set("agents.a", { ...(config.get("agents.a") as object), model: "m" });
    expect(config.value.agents["a"]).toMatchObject({ apiKey: "sk-very-secret", model: "m" });
    config.set("agents.b", { baseUrl: "http://127.0.0.1:2", apiKey: "sk-another-one" });
    expect(config.value.agents["b"]?.apiKey).toBe("sk-another-one");
    expect(text()).not.toContain("sk-");
  });

  test("removing an entry forgets its secret", () => {
    const config = open(agent);
    config.set("agents.a.apiKey", "sk-very-secret");
    expect(config.set("agents.a", null)).toBeNull();
    expect(text("secrets.json")).not.toContain("very-secret");
    expect(config.value.agents).toEqual({});
  });

  test("a literal secret works and is reported with the remedy", () => {
    const told: string[] = [];
    const config = open(
      "channels:\n  webhook:\n    door:\n      secret: hand-written\n      out: {url: 'http://127.0.0.1:1/x', secret: other-one}\n",
      { onSecret: (value) => told.push(value) },
    );
    expect(config.value.channels.webhook["door"]?.secret).toBe("hand-written");
    expect(config.problems.map(({ code }) => code)).toEqual([
      "config.secret_in_file",
      "config.secret_in_file",
    ]);
    expect(config.problems[0]?.remedy).toContain(
      "signalbox config set channels.webhook.door.secret",
    );
    expect(JSON.stringify(config.problems)).not.toContain("hand-written");
    expect(told).toEqual(["hand-written", "other-one"]);
  });

  test("a secret that is not there, a hook without one: told, not fatal", () => {
    const config = open(
      `${agent}    apiKey: {secret: gone}\nchannels: {webhook: {door: {chatType: group}}}\n`,
    );
    expect(config.safeMode).toBe(false);
    expect(config.value.agents["a"]?.apiKey).toBeNull();
    expect(config.problems.map(({ code }) => code)).toEqual([
      "config.secret_missing",
      "config.secret_missing",
    ]);
  });

  test("a wrong secret is refused without being told", () => {
    const config = open("agents: {a: {baseUrl: 'http://x', apiKey: 998877665544}}\n");
    expect(config.safeMode).toBe(true);
    expect(JSON.stringify(config.problems)).not.toContain("998877665544");
  });

  test("with a cipher nothing is in clear; elsewhere it is unreadable, not a crash", () => {
    const cipher = {
      encrypt: (plain: string) => Buffer.from(plain, "utf8").toString("base64"),
      decrypt: (sealed: string) => Buffer.from(sealed, "base64").toString("utf8"),
    };
    open(agent, { cipher }).set("agents.a.apiKey", "sk-very-secret");
    expect(text("secrets.json")).not.toContain("very-secret");
    expect(open(undefined, { cipher }).value.agents["a"]?.apiKey).toBe("sk-very-secret");
    const elsewhere = open();
    expect(elsewhere.value.agents["a"]?.apiKey).toBeNull();
    expect(elsewhere.problems[0]?.code).toBe("config.secret_missing");
  });

  test("a damaged secret store is never overwritten", () => {
    writeFileSync(file("secrets.json"), "{broken");
    const config = open(agent);
    expect(refusal(() => config.set("agents.a.apiKey", "sk-very-secret")).code).toBe(
      "E_STORE_DAMAGED",
    );
    expect(text("secrets.json")).toBe("{broken");
    expect(text()).toBe(agent);
    expect(existsSync(file("config.last-good.yaml"))).toBe(true);
  });
});

import type { Pushes } from "../../../core/contract/bridge.ts";
import type { CallInput, CallName, CallOutput } from "../../../core/contract/calls.ts";
import { SignalboxError } from "../../../core/contract/errors.ts";
import type { AgentRow, ChannelRow } from "../../../core/contract/domain.ts";
import { fakeDefaults } from "./fake-settings.ts";
import type { FakeWorld } from "./fake-world.ts";

type Machinery = Extract<
  CallName,
  `config.${string}` | `agents.${string}` | "deliveries.list" | "channels.list"
>;
type Answers = { [N in Machinery]: (input: CallInput<N>) => CallOutput<N> };

export interface FakeMachineryOptions {
  world: FakeWorld;
  nowMs: () => number;
  push: <P extends keyof Pushes>(name: P, payload: Pushes[P]) => void;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const memberAt = (root: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((at, part) => (isRecord(at) ? at[part] : undefined), root);

const textAt = (root: unknown, path: readonly string[]): string | null => {
  const text = memberAt(root, path);
  return typeof text === "string" ? text : null;
};

function withMember(root: unknown, path: readonly string[], value: unknown): unknown {
  const [part, ...rest] = path;
  if (part === undefined) return value;
  const parent = isRecord(root) ? root : {};
  const next = withMember(parent[part], rest, value);
  const others = Object.fromEntries(Object.entries(parent).filter(([name]) => name !== part));
  return next === null ? others : { ...others, [part]: next };
}

/** Secrets never come back: of what was written only that it is there. */
function sealed(value: unknown): unknown {
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) =>
      (name === "secret" || name === "apiKey") && typeof member === "string"
        ? [name, { hasKey: true }]
        : [name, sealed(member)],
    ),
  );
}

/** The fake's answers about channels, agents, deliveries and settings. */
export function fakeMachinery({ world, nowMs, push }: FakeMachineryOptions): Answers {
  const agentsChanged = () => {
    push("agents.changed", { agents: world.agents });
    return { agents: world.agents };
  };
  /** Rows follow the settings, as the real gateway's do. */
  const follow = () => {
    const hooks = memberAt(world.config, ["channels", "webhook"]);
    const rows = new Map(world.channels.map((row) => [row.id, row]));
    for (const row of rows.values()) if (row.kind === "webhook") rows.delete(row.id);
    for (const [name, hook] of Object.entries(isRecord(hooks) ? hooks : {}))
      if (memberAt(hook, ["enabled"]) !== false) {
        const id = `webhook:${name}`;
        rows.set(id, world.channels.find((row) => row.id === id) ?? freshHook(name, nowMs()));
      }
    world.channels = [...rows.values()];
    push("channels.changed", { channels: world.channels });
    const configured = memberAt(world.config, ["agents"]);
    const kept = world.agents.filter((row) => row.origin !== "config");
    const added = Object.entries(isRecord(configured) ? configured : {}).map(([id, entry]) => ({
      ...(world.agents.find((row) => row.id === id) ?? freshAgent(id)),
      baseUrl: textAt(entry, ["baseUrl"]),
      model: textAt(entry, ["model"]),
      hasKey: memberAt(entry, ["apiKey", "hasKey"]) === true,
    }));
    world.agents = [...kept, ...added];
    agentsChanged();
  };

  return {
    "channels.list": () => ({ channels: world.channels }),
    "deliveries.list": () => ({
      deliveries: world.deliveries,
      nextBefore: null,
      counts: { unknown: world.deliveries.length },
    }),
    "agents.list": () => ({ agents: world.agents }),
    "agents.probe": ({ id }) => {
      world.agents = world.agents.map((agent) =>
        id === undefined || agent.id === id
          ? { ...agent, probe: { ...agent.probe, atMs: nowMs() } }
          : agent,
      );
      return agentsChanged();
    },
    "agents.test": ({ baseUrl }) => {
      const down = { state: "failed" as const, ms: null, models: [], code: "E_AGENT_DOWN" };
      if (baseUrl.includes("nowhere"))
        return { ...down, atMs: nowMs(), message: `Nothing answers at ${baseUrl}.` };
      const models = ["small-1", "large-2", "large-2-preview"];
      return { state: "ok", atMs: nowMs(), ms: 12, models, code: null, message: null };
    },
    "agents.setDefault": ({ id }) => {
      world.config = { ...world.config, defaultAgent: id };
      const chosen = id === "auto" ? "ollama" : id;
      world.agents = world.agents.map((agent) => ({ ...agent, isDefault: agent.id === chosen }));
      push("config.changed", { path: "defaultAgent" });
      return agentsChanged();
    },
    "config.get": ({ path }) => ({
      value: path === undefined ? world.config : memberAt(world.config, path.split(".")),
      defaults:
        path === undefined ? fakeDefaults : (memberAt(fakeDefaults, path.split(".")) ?? null),
      file: "~/.signalbox/config.yaml",
      problems: world.problems,
    }),
    "config.set": ({ path, value }) => {
      const parts = path.split(".");
      if (path === "max_concurrent_sessions" && typeof value === "number" && value < 1)
        throw new SignalboxError(
          "E_INPUT",
          "max_concurrent_sessions: 0 is under 1. Write a whole number of 1 or more.",
          { field: path },
        );
      const wanted = value === null ? (memberAt(fakeDefaults, parts) ?? null) : value;
      const held = sealed(withMember({}, parts, wanted));
      world.config = withMember(
        world.config,
        parts,
        memberAt(held, parts) ?? null,
      ) as FakeWorld["config"];
      push("config.changed", { path });
      follow();
      return { value: memberAt(world.config, parts) ?? null };
    },
  };
}

const freshHook = (name: string, atMs: number): ChannelRow => ({
  id: `webhook:${name}`,
  kind: "webhook",
  state: "up",
  sinceMs: atMs,
  account: null,
  messagesIn: 0,
  messagesOut: 0,
  lastError: null,
  sessions: 0,
  address: `/hooks/${name}`,
});

const freshAgent = (id: string): AgentRow => ({
  id,
  runtime: "openai-compatible",
  origin: "config",
  baseUrl: null,
  model: null,
  hasKey: false,
  isDefault: false,
  running: 0,
  failuresLastHour: 0,
  probe: { state: "unchecked", atMs: null, ms: null, models: [], code: null, message: null },
});

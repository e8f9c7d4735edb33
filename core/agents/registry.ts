import type { Clock } from "../clock.ts";
import type { AgentRow, ProbeResult } from "../contract/domain.ts";
import { SignalboxError } from "../contract/errors.ts";
import type { Log } from "../log/log.ts";
import { buildRuntime, sameConfig, type AgentConfig, type RuntimeTools } from "./agent-config.ts";
import { createTally, type AgentTally } from "./agent-tally.ts";
import {
  discoverServers,
  knownBaseUrl,
  knownServers,
  type FoundServer,
  type KnownServer,
} from "./discovery.ts";
import { probeServer, toBaseUrl } from "./openai/models.ts";
import type { StreamLimits } from "./openai/stream-limits.ts";
import type { AgentRuntime } from "./runtime.ts";

export interface AgentRegistryOptions {
  agents: Readonly<Record<string, AgentConfig>>;
  /** An agent's id, or `auto`: a found server with a model, else the practice agent. */
  defaultAgent: string;
  clock: Clock;
  log: Log;
  fetch?: typeof fetch;
  /** Which ports are looked at; `[]` looks at none. Default: those of Ollama and LM Studio. */
  discoveryPorts?: readonly KnownServer[];
  /** Pause between two looks at the ports, in milliseconds. Default 60_000; 0 looks once. */
  rediscoverMs?: number;
  limits?: Partial<StreamLimits>;
  /** Pause between the deltas of the practice agent's `!stream`. Default 10. */
  practicePauseMs?: number;
}

export interface AgentRegistry {
  /** Built-in first, then the settings' order, then what was found. */
  list(): AgentRow[];
  has(id: string): boolean;
  /** @throws {SignalboxError} E_AGENT_UNKNOWN. */
  get(id: string): AgentRuntime;
  /**
   * The agent for turns that name none. A chosen agent is used even while its server is down: a person who chose a
   * model must not get an echo. Where the chosen id is gone, as with `auto`.
   */
  default(): AgentRuntime;
  /** Begins to look at the usual ports, now and again; returns at once. */
  start(): void;
  /** Ends looking, and every probe under way. */
  stop(): void;
  /**
   * Asks one agent's server, or all and the usual ports. Never throws for a server; the rows say how it went.
   * @throws {SignalboxError} E_AGENT_UNKNOWN.
   */
  probe(id?: string): Promise<AgentRow[]>;
  /** Probes a server that is not saved; keeps nothing. @throws {SignalboxError} E_INPUT for an unusable address. */
  testServer(baseUrl: string, apiKey?: string | null): Promise<ProbeResult>;
  /** Takes over changed settings. Agents whose entry did not change keep their runtime, counts and probe. */
  setAgents(config: { agents: Readonly<Record<string, AgentConfig>>; defaultAgent: string }): void;
  turnStarted(id: string): void;
  turnEnded(id: string, failed: boolean): void;
  /** Called after any row may have changed. Returns its own undo. */
  onChange(listener: () => void): () => void;
}

interface Entry {
  runtime: AgentRuntime;
  origin: AgentRow["origin"];
  config: AgentConfig;
  probe: ProbeResult;
}

const unchecked: ProbeResult = {
  state: "unchecked",
  atMs: null,
  ms: null,
  models: [],
  code: null,
  message: null,
};
const PRACTICE = "practice";

/** All agents there are, which of them is the default, and how they are. Holds no live agents: that is the cache. */
export function createAgentRegistry(options: AgentRegistryOptions): AgentRegistry {
  const { clock } = options;
  const log = options.log.area("agents");
  const fetchImpl: typeof fetch = options.fetch ?? ((input, init) => fetch(input, init));
  const ports = options.discoveryPorts ?? knownServers;
  const rediscoverMs = options.rediscoverMs ?? 60_000;
  const tools: RuntimeTools = {
    clock,
    log: options.log,
    fetch: fetchImpl,
    limits: options.limits ?? {},
    practicePauseMs: options.practicePauseMs,
  };
  const ending = new AbortController();
  const listeners = new Set<() => void>();
  const tallies = new Map<string, AgentTally>();
  let configured = new Map<string, Entry>();
  const found = new Map<string, Entry>();
  let defaultAgent = options.defaultAgent;
  let looking: Promise<void> | null = null;
  let cancelNextLook = () => {};
  const practice = entryOf(PRACTICE, { runtime: "practice" }, "built-in");

  function entryOf(id: string, config: AgentConfig, origin: Entry["origin"]): Entry {
    return { runtime: buildRuntime(id, config, tools), origin, config, probe: unchecked };
  }

  function changed(): void {
    for (const listener of listeners) listener();
  }

  function tally(id: string): AgentTally {
    let known = tallies.get(id);
    if (!known) tallies.set(id, (known = createTally(clock)));
    return known;
  }

  /** A configured agent hides a built-in or found one of its id, and a found one at its address. */
  function entries(): Map<string, Entry> {
    const all = new Map([[PRACTICE, practice], ...configured]);
    const addresses = new Set([...configured.values()].map((entry) => entry.runtime.baseUrl));
    for (const [id, entry] of found)
      if (!all.has(id) && !addresses.has(entry.runtime.baseUrl)) all.set(id, entry);
    return all;
  }

  function defaultId(): string {
    const all = entries();
    if (all.has(defaultAgent)) return defaultAgent;
    const servers = [...all].filter(([, e]) => e.origin === "found" && e.runtime.model !== null);
    // One that went away stays the choice until another answers: its error is truer than an echo.
    const [id] = servers.find(([, e]) => e.probe.state === "ok") ?? servers[0] ?? [PRACTICE];
    return id;
  }

  function adopt(agents: Readonly<Record<string, AgentConfig>>): void {
    const next = new Map<string, Entry>();
    for (const [id, config] of Object.entries(agents)) {
      const before = configured.get(id);
      if (before && sameConfig(before.config, config)) next.set(id, before);
      else
        try {
          next.set(id, entryOf(id, config, "config"));
        } catch (thrown) {
          // One bad entry takes no other agent down; the settings' own check tells the person.
          log.warn("agent.refused", { agent: id }, thrown);
        }
    }
    configured = next;
    keepChosenServer();
  }

  /** A well-known server that was chosen is an agent even before it is seen, so that turns fail with the reason. */
  function keepChosenServer(): void {
    const chosen = ports.find((server) => server.id === defaultAgent);
    if (chosen && !found.has(chosen.id))
      found.set(chosen.id, foundEntry(chosen.id, knownBaseUrl(chosen), null));
  }

  function foundEntry(id: string, baseUrl: string, model: string | null): Entry {
    return entryOf(id, { runtime: "openai-compatible", baseUrl, model }, "found");
  }

  function takeFound(server: FoundServer): void {
    const before = found.get(server.id);
    // The model in use stays while the server has it: the order of a list is no reason to change one.
    const kept = before?.runtime.model ?? null;
    const model = kept !== null && server.probe.models.includes(kept) ? kept : server.model;
    const entry =
      before?.runtime.model === model ? before : foundEntry(server.id, server.baseUrl, model);
    entry.probe = server.probe;
    if (!before) log.info("server.found", { agent: server.id, models: server.probe.models.length });
    found.set(server.id, entry);
  }

  async function look(): Promise<void> {
    const before = JSON.stringify(list());
    const seen = await discoverServers({
      clock,
      servers: ports,
      fetch: fetchImpl,
      signal: ending.signal,
    });
    for (const server of seen) takeFound(server);
    const gone = [...found].filter(([id]) => !seen.some((server) => server.id === id));
    await Promise.all(gone.map(([, entry]) => probeEntry(entry)));
    if (JSON.stringify(list()) !== before) changed();
  }

  function lookOnce(): Promise<void> {
    looking ??= look().finally(() => {
      looking = null;
    });
    return looking;
  }

  async function probeEntry(entry: Entry): Promise<void> {
    entry.probe = await entry.runtime.probe(ending.signal);
  }

  function list(): AgentRow[] {
    const chosen = defaultId();
    return [...entries()].map(([id, { runtime, origin, probe }]) => ({
      id,
      runtime: runtime.runtime,
      origin,
      baseUrl: runtime.baseUrl,
      model: runtime.model,
      hasKey: runtime.hasKey,
      isDefault: id === chosen,
      running: tally(id).running(),
      failuresLastHour: tally(id).failuresLastHour(),
      probe,
    }));
  }

  function entry(id: string): Entry {
    const known = entries().get(id);
    if (!known)
      throw new SignalboxError("E_AGENT_UNKNOWN", `There is no agent "${id}".`, { agent: id });
    return known;
  }

  function lookAgainLater(): void {
    if (rediscoverMs <= 0 || ending.signal.aborted) return;
    cancelNextLook = clock.after(rediscoverMs, () => {
      void lookOnce().finally(lookAgainLater);
    });
  }

  adopt(options.agents);

  return {
    list,
    has: (id) => entries().has(id),
    get: (id) => entry(id).runtime,
    default: () => entry(defaultId()).runtime,
    start() {
      if (ports.length > 0) void lookOnce().finally(lookAgainLater);
    },
    stop() {
      cancelNextLook();
      ending.abort();
    },
    async probe(id) {
      if (id === undefined)
        await Promise.all([
          lookOnce(),
          ...[...entries().values()].filter((e) => e.origin !== "found").map(probeEntry),
        ]);
      else await probeEntry(entry(id));
      changed();
      return list();
    },
    async testServer(baseUrl, apiKey) {
      if (!URL.canParse(baseUrl) || !/^https?:/i.test(baseUrl))
        throw new SignalboxError("E_INPUT", "The address must begin with http:// or https://.", {
          field: "baseUrl",
        });
      const key = apiKey === undefined || apiKey === "" ? null : apiKey;
      const server = { baseUrl: toBaseUrl(baseUrl), apiKey: key, fetchImpl, clock };
      return probeServer(server, null, ending.signal);
    },
    setAgents(config) {
      defaultAgent = config.defaultAgent;
      adopt(config.agents);
      changed();
    },
    turnStarted(id) {
      tally(id).started();
      changed();
    },
    turnEnded(id, failed) {
      tally(id).ended(failed);
      changed();
    },
    onChange(listener) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
  };
}

import type { Clock } from "../clock.ts";
import type { ProbeResult } from "../contract/domain.ts";
import { firstChatModel, probeServer, toBaseUrl, type ModelServer } from "./openai/models.ts";

/** A program that serves models on this machine, known by the port it usually listens on. */
export interface KnownServer {
  /** Also the id of its agent. */
  id: string;
  port: number;
}

export const knownServers: readonly KnownServer[] = [
  { id: "ollama", port: 11434 },
  { id: "lm-studio", port: 1234 },
];

export interface FoundServer {
  id: string;
  baseUrl: string;
  /** The first model that can hold a conversation; null where it has none yet. */
  model: string | null;
  probe: ProbeResult;
}

export interface DiscoveryOptions {
  clock: Clock;
  servers: readonly KnownServer[];
  fetch: typeof fetch;
  signal: AbortSignal;
  /** For each server, in milliseconds. Default 1_000: it is on this machine. */
  timeoutMs?: number;
}

/** Where a known server is reached: loopback only, by number, so that no name service can send us elsewhere. */
export function knownBaseUrl(server: KnownServer): string {
  return toBaseUrl(`http://127.0.0.1:${server.port}`);
}

/**
 * Asks each known port for its models, all at once. Never throws; a port where nothing listens, or where something
 * else does, is not in the result.
 */
export async function discoverServers(options: DiscoveryOptions): Promise<FoundServer[]> {
  const looked = await Promise.all(options.servers.map((server) => lookAt(server, options)));
  return looked.filter((found) => found !== null);
}

async function lookAt(server: KnownServer, options: DiscoveryOptions): Promise<FoundServer | null> {
  const { clock, signal, timeoutMs = 1_000 } = options;
  const baseUrl = knownBaseUrl(server);
  const at: ModelServer = { baseUrl, apiKey: null, fetchImpl: options.fetch, clock };
  let probe = await probeServer(at, null, signal, timeoutMs);
  // An Ollama from before its OpenAI-compatible list answers on its own path only.
  if (probe.state === "failed" && probe.code === "E_AGENT_FAILED" && server.id === "ollama") {
    const api = `http://127.0.0.1:${server.port}/api`;
    probe = await probeServer({ ...at, baseUrl: api, listPath: "/tags" }, null, signal, timeoutMs);
  }
  if (probe.state !== "ok") return null;
  return { id: server.id, baseUrl, model: firstChatModel(probe.models), probe };
}

import type { Clock } from "../../clock.ts";
import { SignalboxError } from "../../contract/errors.ts";
import type { ProbeResult } from "../../contract/domain.ts";
import { z } from "zod";
import {
  httpFault,
  modelFault,
  networkFault,
  timeoutFault,
  unreadable,
  type FaultScene,
} from "./faults.ts";
import { readText } from "./wire.ts";

export interface ModelServer {
  baseUrl: string;
  apiKey: string | null;
  fetchImpl: typeof fetch;
  clock: Clock;
  /** Default `/models`. */
  listPath?: string;
}

/** A listing is shown to a person; a server with more models than this is searched by typing the name. */
const MAX_MODELS = 500;

const listing = z.union([
  z
    .object({ data: z.array(z.object({ id: z.string() })) })
    .transform((l) => l.data.map((m) => m.id)),
  z
    .object({ models: z.array(z.object({ name: z.string() })) })
    .transform((l) => l.models.map((m) => m.name)),
  z.object({ data: z.null() }).transform((): string[] => []), // Ollama without a single model
]);

/**
 * The base URL as requests are built on it: no trailing slash, no credentials, and `/v1` where it has no path at all,
 * because that is where OpenAI-compatible servers listen.
 */
export function toBaseUrl(given: string): string {
  const url = new URL(given);
  url.username = "";
  url.password = "";
  url.hash = "";
  url.search = "";
  if (url.pathname === "/") url.pathname = "/v1";
  return url.href.replace(/\/+$/, "");
}

/**
 * What the server lists, in its order, at most 500.
 *
 * @throws {SignalboxError} E_AGENT_DOWN, E_AGENT_KEY, E_AGENT_TIMEOUT (after `timeoutMs`), E_AGENT_STREAM (not a
 *   list), E_AGENT_FAILED; E_TURN_STOPPED is the caller's to tell, from its own signal.
 */
export async function listModels(
  server: ModelServer,
  signal: AbortSignal,
  timeoutMs: number,
): Promise<string[]> {
  const scene: FaultScene = { apiKey: server.apiKey, model: null };
  const giveUp = new AbortController();
  const cancel = server.clock.after(timeoutMs, () => {
    giveUp.abort();
  });
  try {
    const response = await server.fetchImpl(`${server.baseUrl}${server.listPath ?? "/models"}`, {
      headers: {
        accept: "application/json",
        ...(server.apiKey !== null && { authorization: `Bearer ${server.apiKey}` }),
      },
      signal: AbortSignal.any([signal, giveUp.signal]),
    });
    const body = await readText(response);
    if (!response.ok) throw httpFault(response.status, body, null, scene);
    return readListing(body);
  } catch (thrown) {
    if (thrown instanceof SignalboxError) throw thrown;
    throw giveUp.signal.aborted && !signal.aborted ? timeoutFault("total") : networkFault(thrown);
  } finally {
    cancel();
  }
}

function readListing(body: string): string[] {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    throw unreadable("something that is not a list of models");
  }
  const parsed = listing.safeParse(value);
  if (!parsed.success) throw unreadable("something that is not a list of models");
  return parsed.data.slice(0, MAX_MODELS).map((name) => name.slice(0, 200));
}

/** The first model that can hold a conversation, judged by name: LM Studio lists an embedding model it ships with. */
export function firstChatModel(models: readonly string[]): string | null {
  return models.find((name) => !/embed|rerank|whisper|tts/i.test(name)) ?? null;
}

/** Asks for the list, checks `model` against it, and tells how it went; never throws. Times out after 5 s. */
export async function probeServer(
  server: ModelServer,
  model: string | null,
  signal: AbortSignal,
  timeoutMs = 5_000,
): Promise<ProbeResult> {
  const startedMs = server.clock.monotonicMs();
  const result = (models: string[], error: SignalboxError | null): ProbeResult => ({
    state: error ? "failed" : "ok",
    atMs: server.clock.nowMs(),
    ms: Math.round(server.clock.monotonicMs() - startedMs),
    models,
    code: error?.code ?? null,
    message: error?.message ?? null,
  });
  try {
    const models = await listModels(server, signal, timeoutMs);
    const missing = model !== null && models.length > 0 && !isListed(model, models);
    return result(models, missing ? modelFault({ apiKey: null, model }, {}) : null);
  } catch (thrown) {
    return result([], thrown instanceof SignalboxError ? thrown : networkFault(thrown));
  }
}

/** Ollama lists `name:latest` for what everyone calls `name`. */
function isListed(model: string, models: readonly string[]): boolean {
  return models.includes(model) || models.includes(`${model}:latest`);
}

import type { Clock } from "../clock.ts";
import type { Log } from "../log/log.ts";
import { SignalboxError } from "../contract/errors.ts";
import { createOpenAiCompatibleRuntime } from "./openai-compatible.ts";
import type { StreamLimits } from "./openai/stream-limits.ts";
import { createPracticeRuntime } from "./practice.ts";
import type { AgentRuntime } from "./runtime.ts";

/** An agent as the settings hold it, the key already taken from the secret store. */
export interface AgentConfig {
  runtime: "practice" | "openai-compatible";
  baseUrl?: string | null | undefined;
  model?: string | null | undefined;
  apiKey?: string | null | undefined;
}

/** What every runtime is built with. */
export interface RuntimeTools {
  clock: Clock;
  log: Log;
  fetch: typeof fetch;
  limits: Partial<StreamLimits>;
  practicePauseMs: number | undefined;
}

/**
 * Builds the runtime that an entry of the settings describes.
 *
 * @throws {SignalboxError} E_CONFIG where a server agent has no usable base URL; `details.field` names the field.
 */
export function buildRuntime(id: string, config: AgentConfig, tools: RuntimeTools): AgentRuntime {
  const { clock, log } = tools;
  if (config.runtime === "practice")
    return createPracticeRuntime({
      clock,
      id,
      ...(tools.practicePauseMs !== undefined && { streamPauseMs: tools.practicePauseMs }),
    });
  const baseUrl = config.baseUrl ?? "";
  if (!URL.canParse(baseUrl) || !/^https?:/i.test(baseUrl))
    throw new SignalboxError(
      "E_CONFIG",
      `Agent "${id}" needs a base URL that begins with http:// or https://.`,
      { field: `agents.${id}.baseUrl` },
    );
  return createOpenAiCompatibleRuntime({
    id,
    baseUrl,
    model: config.model ?? null,
    apiKey: config.apiKey ?? null,
    clock,
    log,
    fetch: tools.fetch,
    limits: tools.limits,
  });
}

/** Equal entries keep their runtime, and with it the warm agents of its sessions. */
export function sameConfig(a: AgentConfig, b: AgentConfig): boolean {
  return (
    a.runtime === b.runtime &&
    (a.baseUrl ?? null) === (b.baseUrl ?? null) &&
    (a.model ?? null) === (b.model ?? null) &&
    (a.apiKey ?? null) === (b.apiKey ?? null)
  );
}

import { SignalboxError, type ErrorCode } from "../../contract/errors.ts";
import { readFault, type ServerFault } from "./chunk.ts";

/** What an error may be told about the server at fault. */
export interface FaultScene {
  /** Never appears in an error, whatever the server echoes. */
  apiKey: string | null;
  model: string | null;
}

export type TimeoutKind = "first_token" | "idle" | "total";

// Codes are structured where a server has them. For a too long context and an unknown model many local servers
// only have a sentence, so that sentence is data to be recognised here, in one place.
const contextCodes = /context_length_exceeded|exceed_context_size|context_window_exceeded/;
const contextWords =
  /context (length|size|window)|maximum context|context.{0,40}(overflow|exceed)|exceed.{0,60}context|too many (input )?tokens|prompt is too long/i;
const modelCodes = /model_not_found|model_not_loaded|invalid_model/;
const modelWords =
  /model\b.{0,120}(not found|does not exist|doesn't exist|not loaded|is not available|unknown)|(no such|unknown|invalid) model|no models? loaded/i;
const keyCodes = /invalid_api_key|authentication_error|permission_denied/;

/** Why a server that answered with `status` (not 2xx) refused, as a typed error. */
export function httpFault(
  status: number,
  body: string,
  retryAfter: string | null,
  scene: FaultScene,
): SignalboxError {
  const fault = readFault(parseOrNull(body)) ?? { code: "", message: "" };
  const details = { status };
  if (status === 401 || status === 403) return keyFault(details);
  const known = knownFault(fault, scene, details);
  if (known) return known;
  if (status === 413) return contextFault(details);
  const words = serverWords(fault, scene);
  if (status === 404)
    return make(
      "E_AGENT_FAILED",
      "The agent's server has no chat at this address (404). Check the base URL; most end in /v1.",
      details,
    );
  if (status === 429) {
    const seconds = Number(retryAfter ?? Number.NaN);
    const wait = seconds >= 0 ? { retryAfterMs: Math.round(seconds * 1000) } : {};
    return make(
      "E_AGENT_FAILED",
      `The agent's server takes no more requests for now (429). Wait a little, or check the account's limits.${words}`,
      { ...details, ...wait },
    );
  }
  if (status === 502 || status === 503 || status === 504)
    return make(
      "E_AGENT_DOWN",
      `The agent's server is not ready (${status}). Try again when it has started or loaded its model.${words}`,
      details,
    );
  return make(
    "E_AGENT_FAILED",
    `The agent's server refused the request (${status}).${words || " Its own log may say why."}`,
    details,
  );
}

/** A fault told inside an answer that had begun with status 200. */
export function streamFault(fault: ServerFault, scene: FaultScene): SignalboxError {
  return (
    knownFault(fault, scene, {}) ??
    make(
      "E_AGENT_STREAM",
      `The agent's server broke off its answer with an error.${serverWords(fault, scene) || " Its own log may say why."}`,
    )
  );
}

/** The answer could not be read as one. `what` continues the sentence "The agent's server sent …". */
export function unreadable(what: string): SignalboxError {
  return make(
    "E_AGENT_STREAM",
    `The agent's server sent ${what}. Check that its base URL is that of an OpenAI-compatible API.`,
  );
}

/** The connection ended before any text of an answer; with text shown that is an interruption, not an error. */
export function cutFault(reason: string): SignalboxError {
  return make(
    "E_AGENT_STREAM",
    "The connection to the agent's server was lost before it said anything. Send the message again.",
    { reason },
  );
}

/** The server took the request and closed the connection without a word. */
export function hungUpFault(reason: string): SignalboxError {
  return make(
    "E_AGENT_DOWN",
    "The agent's server hung up before it answered. Look whether it is still running.",
    { reason },
  );
}

/**
 * The SDK gave up by itself: on a piece of the answer where it had `asked`, else before it sent anything. Its errors
 * hold the whole request with the person's words in it, so only their name goes on.
 */
export function sdkFault(thrown: unknown, asked: boolean): SignalboxError {
  if (thrown instanceof SignalboxError) return thrown;
  if (asked) return unreadable("a piece that could not be read");
  return make(
    "E_AGENT_FAILED",
    "The agent's server could not be asked. The error's name is in the details.",
    {
      error: thrown instanceof Error ? thrown.name : "unknown",
    },
  );
}

/** The request never reached a server, or the server hung up without answering. */
export function networkFault(thrown: unknown): SignalboxError {
  const reason = networkCode(thrown);
  // Node's own fetch gives up on its own after five minutes without headers or bytes.
  if (reason === "UND_ERR_HEADERS_TIMEOUT") return timeoutFault("first_token");
  if (reason === "UND_ERR_BODY_TIMEOUT") return timeoutFault("idle");
  return make(
    "E_AGENT_DOWN",
    `The agent's server does not answer${reason ? ` (${reason})` : ""}. Start it, or correct its base URL.`,
    reason ? { reason } : {},
  );
}

export function timeoutFault(which: TimeoutKind): SignalboxError {
  const sentence = {
    first_token: "The agent's server took the message but did not begin to answer in time.",
    idle: "The agent's server stopped in the middle of its answer and sent nothing more.",
    total: "The agent's answer took longer than a turn may last.",
  }[which];
  return make(
    "E_AGENT_TIMEOUT",
    `${sentence} Look whether the server is busy or its model too large for the machine, or send the message again.`,
    { which },
  );
}

/** It ended properly and said nothing. */
export function emptyFault(because: "nothing" | "reasoning" | "tools"): SignalboxError {
  const sentence = {
    nothing: "The model ended its answer without a word.",
    reasoning: "The model only thought and ended without an answer.",
    tools: "The model only asked for tools, which it does not have here.",
  }[because];
  return make("E_AGENT_EMPTY", `${sentence} Send the message again or choose another model.`, {
    because,
  });
}

export function stoppedFault(): SignalboxError {
  return make("E_TURN_STOPPED", "The turn was stopped.");
}

/** Why the wire broke, as the short code Node gives it; never a sentence with an address in it. */
export function networkCode(thrown: unknown): string {
  for (
    let at: unknown = thrown, depth = 0;
    at instanceof Error && depth < 5;
    at = at.cause, depth++
  )
    if ("code" in at && typeof at.code === "string") return at.code;
  return "";
}

export function modelFault(scene: FaultScene, details: SignalboxError["details"]): SignalboxError {
  const named = scene.model ? ` "${scene.model}"` : "";
  return make(
    "E_AGENT_MODEL",
    `The agent's server does not have the model${named}. Choose one it lists, or load it there first.`,
    details,
  );
}

export function keyFault(details: SignalboxError["details"]): SignalboxError {
  return make(
    "E_AGENT_KEY",
    "The agent's server refused the API key. Enter a valid key in the agent's settings.",
    details,
  );
}

function contextFault(details: SignalboxError["details"]): SignalboxError {
  return make(
    "E_AGENT_CONTEXT",
    "The conversation is too long for the model. Start a fresh one with /new, or use a model with a larger context.",
    details,
  );
}

function knownFault(
  fault: ServerFault,
  scene: FaultScene,
  details: SignalboxError["details"],
): SignalboxError | null {
  if (keyCodes.test(fault.code)) return keyFault(details);
  if (contextCodes.test(fault.code) || contextWords.test(fault.message))
    return contextFault(details);
  if (modelCodes.test(fault.code) || modelWords.test(fault.message))
    return modelFault(scene, details);
  return null;
}

/** The server's own words, one line, bounded, the key taken out; "" where it said nothing. */
function serverWords(fault: ServerFault, scene: FaultScene): string {
  let words = fault.message.replace(/\s+/g, " ").trim();
  if (scene.apiKey) words = words.replaceAll(scene.apiKey, "•••");
  words = words.replace(/\b(sk|pk|key|bearer)[-_ ][\w.*-]{6,}/gi, "•••"); // keys that servers echo half masked
  if (words.length > 300) words = `${words.slice(0, 299)}…`;
  return words && ` It says: ${words}`;
}

function parseOrNull(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}

function make(code: ErrorCode, message: string, details: SignalboxError["details"] = {}) {
  return new SignalboxError(code, message, details);
}

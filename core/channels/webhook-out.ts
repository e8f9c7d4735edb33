import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import type { Clock } from "../clock.ts";
import { systemCode } from "../state/private-file.ts";
import type { SendOutcome } from "./channel.ts";
import { calledOff } from "./transcript-channel.ts";

export interface HookPost {
  url: string;
  headers: Record<string, string>;
  body: Buffer;
  /** For the whole exchange, from the first step of connecting to the status line. */
  timeoutMs: number;
}

/** Enough for an id; whatever else a receiver answers is not read. */
const MAX_ANSWER_BYTES = 64 * 1024;
/** A platform that asks for more than a day is asking for a person. */
const MAX_WAIT_MS = 24 * 3600 * 1000;

/**
 * One POST, no retries, redirects not followed. Never throws.
 *
 * What counts is whether the request can have left: before the connection stood, it certainly has not. The
 * connection is never shared, because a reused one may break with the request half taken.
 */
export function postHook(post: HookPost, clock: Clock, signal: AbortSignal): Promise<SendOutcome> {
  if (signal.aborted) return Promise.resolve(calledOff);
  return new Promise((resolve) => {
    const secure = post.url.startsWith("https:");
    let left = false;
    let settled = false;
    let answer: IncomingMessage | null = null;
    const settle = (outcome: SendOutcome): void => {
      if (settled) return;
      settled = true;
      stopClock();
      signal.removeEventListener("abort", onAbort);
      resolve(outcome);
      request.destroy();
    };
    const broke = (code: string, reason: string): void => {
      // Its status was heard: what is missing of the rest changes nothing.
      if (answer !== null) {
        settle(outcomeOf(answer, null, clock.nowMs()));
        return;
      }
      settle(
        left
          ? { kind: "unknown", reason: `${reason} after the request had left` }
          : { kind: "rejected", retryable: true, code, reason },
      );
    };
    const onAbort = (): void => {
      broke("aborted", "The send was called off");
    };
    const request = (secure ? httpsRequest : httpRequest)(post.url, {
      method: "POST",
      agent: false,
      headers: { ...post.headers, "content-length": String(post.body.length) },
    });
    const stopClock = clock.after(post.timeoutMs, () => {
      broke("timeout", `No answer within ${post.timeoutMs} ms`);
    });
    signal.addEventListener("abort", onAbort, { once: true });
    request.on("socket", (socket) => {
      socket.once(secure ? "secureConnect" : "connect", () => {
        left = true;
      });
    });
    request.on("error", (error) => {
      const code = systemCode(error) ?? "failed";
      broke(code, `${CONNECT_FAULTS[code] ?? "The connection failed"} (${code})`);
    });
    request.on("response", (response) => {
      answer = response;
      void remoteId(response).then((id) => {
        settle(outcomeOf(response, id, clock.nowMs()));
      });
    });
    request.end(post.body);
  });
}

const CONNECT_FAULTS: Record<string, string> = {
  ECONNREFUSED: "Nobody listens there",
  ENOTFOUND: "There is no such host",
  EAI_AGAIN: "The host's name could not be looked up",
  ECONNRESET: "The connection was reset",
};

function outcomeOf(response: IncomingMessage, id: string | null, nowMs: number): SendOutcome {
  const status = response.statusCode ?? 0;
  const code = `http_${status}`;
  if (status >= 200 && status < 300) return { kind: "delivered", remoteId: id };
  if (status === 429 || status === 503 || status === 408 || status === 425) {
    const retryAfterMs = waitOf(response.headers["retry-after"], nowMs);
    const reason = `The receiver answered ${status}: not now.`;
    const rejected = { kind: "rejected", retryable: true, code, reason } as const;
    return retryAfterMs === null ? rejected : { ...rejected, retryAfterMs };
  }
  // A failing server or proxy may have done its work first; only 501 and 505 say that it did not begin.
  if (status >= 500 && status !== 501 && status !== 505)
    return {
      kind: "unknown",
      reason: `The receiver answered ${status}; it may have kept the message.`,
    };
  const reason =
    status >= 300 && status < 400
      ? `The receiver answered ${status}; redirects are not followed, so set the final address.`
      : `The receiver refused it with ${status}.`;
  return { kind: "rejected", retryable: false, code, reason };
}

/** Retry-After in seconds or as a date. */
function waitOf(header: string | undefined, nowMs: number): number | null {
  if (header === undefined) return null;
  const waitMs = /^\s*\d+\s*$/.test(header) ? Number(header) * 1000 : Date.parse(header) - nowMs;
  return Number.isFinite(waitMs) ? Math.min(Math.max(0, waitMs), MAX_WAIT_MS) : null;
}

/** The `id` or `messageId` of a JSON answer, or null. An answer cut short is no reason to doubt its status. */
async function remoteId(response: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      sizeBytes += chunk.length;
      if (sizeBytes > MAX_ANSWER_BYTES) return null;
      chunks.push(chunk);
    }
    const answer = JSON.parse(Buffer.concat(chunks).toString("utf8")) as unknown;
    if (typeof answer !== "object" || answer === null) return null;
    const id: unknown =
      "id" in answer ? answer.id : "messageId" in answer ? answer.messageId : null;
    return typeof id === "string" || typeof id === "number" ? String(id).slice(0, 256) : null;
  } catch {
    return null;
  }
}

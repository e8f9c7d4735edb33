import type { IncomingMessage } from "node:http";
import { SignalboxError } from "../contract/errors.ts";

/**
 * Reads a JSON request's body whole.
 *
 * @throws {SignalboxError} E_TOO_LARGE over `maxBytes`, without reading on; E_DISCONNECTED where it ends early.
 */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const tooLarge = new SignalboxError("E_TOO_LARGE", `The body is over ${maxBytes} bytes.`, {
    maxBytes,
  });
  if (Number(request.headers["content-length"] ?? 0) > maxBytes) throw tooLarge;
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      sizeBytes += chunk.length;
      if (sizeBytes > maxBytes) throw tooLarge;
      chunks.push(chunk);
    }
  } catch (cause) {
    if (cause === tooLarge) throw tooLarge;
    throw new SignalboxError("E_DISCONNECTED", "The request ended early.", {}, { cause });
  }
  return Buffer.concat(chunks);
}

/** Whether the content is declared as JSON; browsers cannot send that to a foreign origin unasked. */
export const isJson = (request: IncomingMessage): boolean =>
  /^application\/json\s*(;|$)/i.test(request.headers["content-type"] ?? "");

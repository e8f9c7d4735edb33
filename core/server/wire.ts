import type { ServerResponse } from "node:http";
import { SignalboxError, toWire, type WireError } from "../contract/errors.ts";
import { httpStatus } from "./http-status.ts";

/** Statuses that belong to HTTP itself and have no error code of their own. */
export class HttpRefusal extends SignalboxError {
  readonly status: number;
  readonly headers: Record<string, string>;
  constructor(
    status: number,
    code: WireError["code"],
    message: string,
    headers: Record<string, string> = {},
  ) {
    super(code, message);
    this.status = status;
    this.headers = headers;
  }
}

/** Sends a JSON answer that nobody may keep. */
export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, {
    "content-type": "application/json; charset=utf-8",
    "cache-control": "no-store",
    ...headers,
  });
  response.end(JSON.stringify(body));
}

/** What a refused request is told: status, headers and the error envelope. */
export function refusalOf(thrown: unknown): {
  status: number;
  headers: Record<string, string>;
  body: { ok: false; error: WireError };
} {
  const error = toWire(thrown);
  if (thrown instanceof HttpRefusal)
    return { status: thrown.status, headers: thrown.headers, body: { ok: false, error } };
  return { status: httpStatus(error.code), headers: {}, body: { ok: false, error } };
}

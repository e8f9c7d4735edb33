import type { IncomingHttpHeaders } from "node:http";

/** A POST to `/hooks/<name>`, whole: the server has read the body and kept its size in bounds. */
export interface HookRequest {
  headers: IncomingHttpHeaders;
  /** The raw bytes: what is signed is these, never a re-serialisation. */
  body: Buffer;
}

export interface HookReply {
  status: number;
  body: Record<string, unknown>;
  /** Seconds after which another try makes sense. */
  retryAfterSeconds?: number;
}

/** Answers one hook's requests; never throws. */
export type HookHandler = (request: HookRequest) => Promise<HookReply>;

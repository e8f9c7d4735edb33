import type { ErrorCode } from "../contract/errors.ts";

const STATUS: Partial<Record<ErrorCode, number>> = {
  E_INPUT: 400,
  E_UNAUTHORIZED: 401,
  E_SIGNATURE: 401,
  E_SENDER: 403,
  E_REFUSED: 403,
  E_UNKNOWN_CALL: 404,
  E_NOT_FOUND: 404,
  E_AGENT_UNKNOWN: 404,
  E_CONFLICT: 409,
  E_OWNED: 409,
  E_CONFIG: 409,
  E_EXPIRED: 409,
  E_KEY_COLLISION: 409,
  E_TOO_LARGE: 413,
  E_BUSY: 429,
  E_QUEUE_FULL: 429,
  E_NOT_RUNNING: 503,
  E_DRAINING: 503,
  E_READ_ONLY: 503,
  E_STORE_BUSY: 503,
  E_STORE_FULL: 503,
  E_CHANNEL_DOWN: 503,
};

/** The HTTP status that goes with an error; 500 for what is nobody's fault but ours. */
export const httpStatus = (code: ErrorCode): number => STATUS[code] ?? 500;

/** The closed list of codes. Programs decide by these, never by message text. */
export const errorCodes = [
  // the host's door
  "E_INPUT",
  "E_UNKNOWN_CALL",
  "E_SENDER",
  "E_UNAUTHORIZED",
  "E_TOO_LARGE",
  "E_INTERNAL",
  "E_DISCONNECTED",
  // the gateway and its data
  "E_OWNED",
  "E_NOT_RUNNING",
  "E_DRAINING",
  "E_READ_ONLY",
  "E_STORE_BUSY",
  "E_STORE_FULL",
  "E_STORE_DAMAGED",
  "E_STORE_FROM_FUTURE",
  "E_CONFIG",
  // sessions and turns
  "E_NOT_FOUND",
  "E_CONFLICT",
  "E_BUSY",
  "E_QUEUE_FULL",
  "E_EXPIRED",
  "E_KEY_COLLISION",
  "E_REFUSED",
  "E_CANCELLED",
  // channels
  "E_CHANNEL_DOWN",
  "E_SIGNATURE",
  // agents
  "E_AGENT_UNKNOWN",
  "E_AGENT_DOWN",
  "E_AGENT_MODEL",
  "E_AGENT_KEY",
  "E_AGENT_CONTEXT",
  "E_AGENT_STREAM",
  "E_AGENT_TIMEOUT",
  "E_AGENT_EMPTY",
  "E_AGENT_FAILED",
  "E_TURN_STOPPED",
] as const;
export type ErrorCode = (typeof errorCodes)[number];

/** What crosses a wire: `details.field` is the path of the input field at fault, where there is one. */
export interface WireError {
  code: ErrorCode;
  message: string;
  details: Record<string, string | number | boolean | null>;
}

/** The only error class thrown on purpose. `code` is for programs, `message` for people, `cause` for logs. */
export class SignalboxError extends Error {
  override readonly name = "SignalboxError";
  readonly code: ErrorCode;
  readonly details: WireError["details"];
  constructor(
    code: ErrorCode,
    message: string,
    details: WireError["details"] = {},
    options?: { cause?: unknown },
  ) {
    super(message, options);
    this.code = code;
    this.details = details;
  }
}

/** Anything thrown becomes a wire error; what was not thrown on purpose tells no inner detail. */
export function toWire(thrown: unknown): WireError {
  if (thrown instanceof SignalboxError)
    return { code: thrown.code, message: thrown.message, details: thrown.details };
  return {
    code: "E_INTERNAL",
    message: "Something went wrong inside the gateway; its log says what.",
    details: {},
  };
}

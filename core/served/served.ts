import { calls } from "../contract/calls.ts";
import type { CallName, CallOutput, CallParsed } from "../contract/calls.ts";
import { SignalboxError, toWire } from "../contract/errors.ts";
import type { Reply } from "../contract/bridge.ts";
import type { CallContext } from "../gateway-api.ts";
import type { Log } from "../log/log.ts";

/** One handler a declared call; a missing one does not compile. */
export type Served = {
  [N in CallName]: (input: CallParsed<N>, context: CallContext) => Promise<CallOutput<N>>;
};

/** Slower answers are logged by name: the thread that serves the window must not be held (style P8). */
const slowMs = 100;

const isCall = (name: string): name is CallName => Object.hasOwn(calls, name);

/**
 * The host's door: own-key lookup, validation, run. One for both transports; who may knock is the host's business.
 * @throws {SignalboxError} E_UNKNOWN_CALL, E_INPUT with `details.field`, or what the handler throws.
 */
export function createDoor(served: Served, log: Log) {
  async function call(name: string, input: unknown, context: CallContext): Promise<unknown> {
    if (!isCall(name))
      throw new SignalboxError("E_UNKNOWN_CALL", `There is no call "${name.slice(0, 80)}".`);
    const parsed = calls[name].in.safeParse(input ?? {});
    if (!parsed.success) {
      const issue = parsed.error.issues[0];
      const field = issue?.path.join(".") ?? "";
      throw new SignalboxError(
        "E_INPUT",
        `${field === "" ? "The input" : `"${field}"`} does not fit: ${issue?.message ?? "wrong shape"}.`,
        { field },
      );
    }
    const started = performance.now();
    const handler = served[name] as (given: unknown, by: CallContext) => Promise<unknown>;
    const value = await handler(parsed.data, context);
    const ms = performance.now() - started;
    if (ms > slowMs) log.debug("call.slow", { call: name, ms: Math.round(ms) });
    return value;
  }

  return {
    call,
    async answer(name: string, input: unknown, context: CallContext): Promise<Reply<unknown>> {
      try {
        return { ok: true, value: await call(name, input, context) };
      } catch (thrown) {
        const error = toWire(thrown);
        if (error.code === "E_INTERNAL") log.error("call.failed", { call: name }, thrown);
        return { ok: false, error };
      }
    },
  };
}

import type { CallName, CallOutput } from "./contract/calls.ts";
import type { PushName, Pushes, Reply } from "./contract/bridge.ts";
import type { SessionKey } from "./contract/ids.ts";

/** Who calls: written into evidence ("suspended by panel") and used to route pushes. */
export interface CallContext {
  actor: "panel" | "cli" | "rpc";
  /** The connection whose watched lanes `sessions.watch` sets; null for one-shot callers. */
  connection: Connection | null;
}

/** One live client: a window or a WebSocket. The host makes it; `sessions.watch` replaces what it watches. */
export interface Connection {
  readonly id: string;
  watching: ReadonlySet<SessionKey>;
}

export type PushListener = <P extends PushName>(name: P, payload: Pushes[P]) => void;

/** What a host needs of the gateway: the contract, answered in process. */
export interface GatewayApi {
  readonly bootId: string;
  /** Validates, runs and envelopes one call; never throws. */
  answer(name: string, input: unknown, context: CallContext): Promise<Reply<unknown>>;
  /** The same for code that knows the types; throws SignalboxError. */
  call<N extends CallName>(name: N, input: unknown, context?: CallContext): Promise<CallOutput<N>>;
  /** Pushes for this connection (its watched lanes included) until the returned function is called. */
  connect(connection: Connection, listener: PushListener): () => void;
}

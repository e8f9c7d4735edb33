import { onTestFinished } from "vitest";
import type { CallInput, CallName, CallOutput } from "../contract/calls.ts";
import type { SessionKey } from "../contract/ids.ts";
import { createGateway } from "../gateway.ts";
import type { Gateway } from "../gateway.ts";
import type { CallContext } from "../gateway-api.ts";
import { manualClock } from "./manual-clock.ts";
import type { ManualClock } from "./manual-clock.ts";
import { tempDir } from "./temp-dir.ts";
import { until } from "./until.ts";

/** A source in the stored shape, as `channels.simulate` takes it. */
export type Stored = CallInput<"channels.simulate">["source"];

export const privateChat = (chat = "7", part: Record<string, unknown> = {}): Stored => ({
  platform: "telegram",
  chat_id: chat,
  chat_type: "dm",
  user_id: chat,
  user_name: `Person ${chat}`,
  ...part,
});

export const groupChat = (user: string, part: Record<string, unknown> = {}): Stored => ({
  platform: "telegram",
  chat_id: "-100",
  chat_name: "Signals",
  chat_type: "group",
  user_id: user,
  user_name: `Person ${user}`,
  ...part,
});

export type LifecycleGateway = Awaited<ReturnType<typeof lifecycleGateway>>;

/**
 * A whole gateway with the practice agent on a clock that stands still: `!sleep 5s` runs until the test moves the clock.
 * Destructive commands do not ask, unless `asks` is set.
 */
export async function lifecycleGateway({ asks = false }: { asks?: boolean } = {}) {
  const dataDir = tempDir();
  const clock: ManualClock = manualClock();
  const open = async (): Promise<Gateway> => {
    const gateway = createGateway({ dataDir, host: "embedded", clock, discoverAgents: false });
    await gateway.start();
    return gateway;
  };
  let gateway = await open();
  const stop = (): Promise<void> => gateway.stop("the test is over", { now: true });
  onTestFinished(stop);
  const operator: CallContext = { actor: "panel", connection: null };
  const call = <N extends CallName>(name: N, input: CallInput<N>): Promise<CallOutput<N>> =>
    gateway.call(name, input, operator);
  if (!asks)
    await call("config.set", { path: "approvals.destructive_slash_confirm", value: false });

  const detail = (key: SessionKey) => call("sessions.get", { key });
  const rows = async (key: SessionKey, sessionId?: string) =>
    (
      await call("sessions.history", {
        key,
        limit: 500,
        ...(sessionId === undefined ? {} : { sessionId }),
      })
    ).messages;

  return {
    clock,
    dataDir,
    stop,
    call,
    detail,
    rows,
    get gateway() {
      return gateway;
    },
    /** A message in a chat; pieces of one thought are told apart by two seconds. */
    async say(text: string, source: Stored = privateChat()) {
      clock.advance(2_000);
      return call("channels.simulate", { source, text });
    },
    /** What people and agents said, bars left out. */
    said: async (key: SessionKey, sessionId?: string): Promise<string[]> =>
      (await rows(key, sessionId)).flatMap((row) => (row.role === "boundary" ? [] : [row.text])),
    /** Waits until nothing runs and nothing waits in a lane. */
    idle: (key: SessionKey) =>
      until(`${key} is idle`, async () => {
        const now = await detail(key);
        return now.turn === null && now.waiting.length === 0 && now.state !== "running" && now;
      }),
    /** Waits until a turn runs in a lane. */
    running: (key: SessionKey) =>
      until(`a turn runs in ${key}`, async () => {
        const now = await detail(key);
        return now.turn !== null && now;
      }),
    /** Ends the process's part of it and starts anew on the same data. */
    async restart() {
      await gateway.stop("restart", { now: true });
      gateway = await open();
    },
  };
}

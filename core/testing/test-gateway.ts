import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { CallName, CallOutput } from "../contract/calls.ts";
import type { SessionKey } from "../contract/ids.ts";
import { createGateway } from "../gateway.ts";
import type { Gateway, GatewayOptions } from "../gateway.ts";
import { dmSource, keyOf } from "./samples.ts";
import { scriptedChannel } from "./scripted-channel.ts";
import type { ScriptedChannel } from "./scripted-channel.ts";
import { tempDir } from "./temp-dir.ts";
import { until } from "./until.ts";

export interface TestGateway {
  gateway: Gateway;
  dataDir: string;
  channel: ScriptedChannel;
  /** The lane of the chat that `channel.post` writes in. */
  key: SessionKey;
  call<N extends CallName>(name: N, input?: unknown): Promise<CallOutput<N>>;
  /** Texts that were sent to people so far. */
  replies(): string[];
  /** Waits until so many were sent, and returns them. */
  replied(count: number): Promise<string[]>;
  /** The transcript, as `role: text`. */
  transcript(): Promise<string[]>;
  /** Waits until the lane is in this state. */
  untilState(state: string): Promise<void>;
  stop(): Promise<void>;
}

export interface TestGatewayOptions extends Partial<GatewayOptions> {
  channel?: ScriptedChannel;
  /** Settings, as the file would hold them. */
  settings?: Record<string, unknown>;
}

/**
 * A whole gateway in a directory of its own, with the practice agent and a scripted channel; stopped at the end of the
 * test. Texts of one burst are not joined unless the settings say so.
 */
export async function testGateway(options: TestGatewayOptions = {}): Promise<TestGateway> {
  const { channel = scriptedChannel(), settings = {}, ...rest } = options;
  const dataDir = options.dataDir ?? tempDir();
  const config = { defaultAgent: "practice", turns: { burst_gap: 0, burst_cap: 0 }, ...settings };
  writeFileSync(join(dataDir, "config.yaml"), JSON.stringify(config)); // JSON is YAML
  const gateway = createGateway({
    host: "embedded",
    discoverAgents: false,
    ...rest,
    dataDir,
    channels: [channel],
  });
  const key = keyOf(dmSource());
  let stopped: Promise<void> | null = null;
  const made: TestGateway = {
    gateway,
    dataDir,
    channel,
    key,
    call: (name, input = {}) => gateway.call(name, input),
    replies: () => channel.sent.map(({ text }) => text),
    replied: (count) =>
      until(`${count} replies`, () => channel.sent.length >= count && made.replies()),
    async transcript() {
      const { messages } = await gateway.call("sessions.history", { key, limit: 500 });
      return messages.map(({ role, text }) => `${role}: ${text}`);
    },
    async untilState(state) {
      await until(state, async () => (await gateway.call("sessions.get", { key })).state === state);
    },
    stop: () => (stopped ??= gateway.stop("the test is over", { now: true })),
  };
  onTestFinished(() => made.stop());
  await gateway.start();
  return made;
}

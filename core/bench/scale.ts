import { asSessionKey } from "../contract/ids.ts";
import { createGateway } from "../gateway.ts";
import { figure, median, repeat } from "./figures.ts";
import type { Figures } from "./figures.ts";
import { seedSessions } from "./seed.ts";
import { memoryDir } from "./workplace.ts";

const few = 100;
const many = 100_000;
const messages = 200;
const runs = 7;

/**
 * A message's whole way, to the end of its turn, in a gateway with few and in one with many sessions, a panel watching
 * (lifecycle 20.13). In processor time, where writes cost no disk, turn about: what differs is the number of sessions.
 */
export async function benchScale(): Promise<Figures> {
  const gateways = [await startSeeded(few), await startSeeded(many)] as const;
  const costs = await repeat(runs, async () => [
    await gateways[0].cost(),
    await gateways[1].cost(),
  ]);
  for (const gateway of gateways) await gateway.stop();
  const small = costs.flatMap(([cost]) => cost ?? []);
  const large = costs.flatMap(([, cost]) => cost ?? []);
  return {
    [`message_at_${few}`]: figure(small, "cpu ms"),
    [`message_at_${many}`]: figure(large, "cpu ms"),
    ratio: figure([median(large) / median(small)], "x"),
  };
}

async function startSeeded(sessions: number) {
  const dataDir = memoryDir();
  await seedSessions(dataDir, sessions);
  const gateway = createGateway({ dataDir, host: "embedded", discoverAgents: false });
  await gateway.start();
  let ended = (): void => undefined;
  const key = asSessionKey("agent:main:telegram:dm:bench");
  const disconnect = gateway.connect({ id: "bench", watching: new Set([key]) }, (name) => {
    if (name === "turn.end") ended();
  });
  const source = { platform: "telegram", chat_id: "bench", chat_type: "dm", user_id: "bench" };
  const message = async (): Promise<void> => {
    const over = new Promise<void>((resolve) => {
      ended = resolve;
    });
    await gateway.call("channels.simulate", { source, text: "hello" });
    await over;
  };
  return {
    /** Milliseconds of processor time a message, one after the other, in a transcript that is short at first. */
    async cost(): Promise<number> {
      await message();
      await gateway.call("sessions.reset", { key });
      const before = process.cpuUsage();
      await repeat(messages, message);
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1000 / messages;
    },
    async stop(): Promise<void> {
      disconnect();
      await gateway.stop("bench", { now: true });
    },
  };
}

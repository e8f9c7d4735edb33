import { asSessionKey } from "../contract/ids.ts";
import { createGateway } from "../gateway.ts";
import { figure, median, repeat, timed } from "./figures.ts";
import type { Figures } from "./figures.ts";
import { seedSessions } from "./seed.ts";
import { memoryDir } from "./workplace.ts";

const few = 100;
const many = 100_000;
const messages = 300;
const runs = 5;

/**
 * A message's whole way, to the end of its turn, in a gateway with few and with many sessions (lifecycle 20.13). Where
 * writes cost no disk, so that a dependence on the number of sessions would show.
 */
export async function benchScale(): Promise<Figures> {
  const small = await messageCost(few);
  const large = await messageCost(many);
  return {
    [`message_at_${few}`]: figure(small, "ms"),
    [`message_at_${many}`]: figure(large, "ms"),
    ratio: { value: Number((median(large) / median(small)).toPrecision(3)), unit: "x", runs },
  };
}

/** Milliseconds a message, one after the other through the simulator channel. */
async function messageCost(sessions: number): Promise<number[]> {
  const dataDir = memoryDir();
  await seedSessions(dataDir, sessions);
  const gateway = createGateway({ dataDir, host: "embedded", discoverAgents: false });
  await gateway.start();
  // A panel that looks on is part of the usual load.
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
  const costs = await repeat(runs, async () => {
    await message();
    await gateway.call("sessions.reset", { key }); // each run with a short transcript
    return (await timed(() => repeat(messages, message))) / messages;
  });
  disconnect();
  await gateway.stop("bench", { now: true });
  return costs;
}

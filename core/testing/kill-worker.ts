import { createGateway } from "../gateway.ts";
import { dmSource } from "./samples.ts";
import { scriptedChannel } from "./scripted-channel.ts";

/**
 * A gateway that takes messages without end and writes the id of each, a line each, once the channel may confirm it; to
 * be killed. Messages go round over a few chats.
 */
const dataDir = process.argv[2];
if (dataDir === undefined) throw new Error("Usage: kill-worker.ts DIR");
const channel = scriptedChannel();
const gateway = createGateway({
  dataDir,
  host: "embedded",
  discoverAgents: false,
  channels: [channel],
});
await gateway.start();
for (let n = 1; ; n += 1) {
  const messageId = `kill-${n}`;
  try {
    await channel.post(`message ${n}`, { messageId, source: dmSource(String(n % 5)) });
    process.stdout.write(`${messageId}\n`);
  } catch {
    await new Promise((resolve) => setImmediate(resolve)); // a lane is full for the moment
  }
}

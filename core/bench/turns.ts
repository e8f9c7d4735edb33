import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { Agent, createServer, request as httpRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { signatureHeaders } from "../channels/webhook-signature.ts";
import { figure, quantile, repeat } from "./figures.ts";
import type { Figures } from "./figures.ts";
import { diskDir } from "./workplace.ts";

const secret = "bench-secret";
const runs = 3;
const warmUpTurns = 50;

/**
 * Durable practice turns through the webhook channel: signed HTTP into a gateway in a process of its own, its reply over
 * HTTP to a server here. A lane sends its next message when the reply to the last is there.
 */
export async function benchTurns(): Promise<Figures> {
  const receiver = await startReceiver();
  const gateway = await startGateway(receiver.url);
  try {
    return await measureTurns(gateway, receiver);
  } finally {
    await gateway.stop();
    await receiver.close();
  }
}

async function measureTurns(gateway: ServedGateway, receiver: Receiver): Promise<Figures> {
  const load = loadOn(gateway.url, receiver);
  await load(1, warmUpTurns);
  const one = await repeat(runs, () => load(1, 300));
  const fifty = await repeat(runs, async () => {
    const before = gateway.cpuMs();
    const run = await load(50, 2_000);
    return { ...run, cpuMs: (gateway.cpuMs() - before) / 2_000 };
  });
  const paced = await repeat(runs, () => load(50, 1_000, 200));
  return {
    one_lane: figure(
      one.map((run) => run.perSecond),
      "turns/s",
    ),
    one_lane_acceptance_p95: figure(
      one.map((run) => quantile(run.acceptedMs, 0.95)),
      "ms",
    ),
    lanes_50: figure(
      fifty.map((run) => run.perSecond),
      "turns/s",
    ),
    lanes_50_cpu: figure(
      fifty.map((run) => run.cpuMs),
      "cpu ms/turn",
    ),
    lanes_50_acceptance_p95: figure(
      fifty.map((run) => quantile(run.acceptedMs, 0.95)),
      "ms",
    ),
    lanes_50_reply_p95: figure(
      fifty.map((run) => quantile(run.repliedMs, 0.95)),
      "ms",
    ),
    lanes_50_at_200: figure(
      paced.map((run) => run.perSecond),
      "turns/s",
    ),
    lanes_50_at_200_acceptance_p95: figure(
      paced.map((run) => quantile(run.acceptedMs, 0.95)),
      "ms",
    ),
  };
}

interface ServedGateway {
  url: string;
  /** Its processor time so far. */
  cpuMs(): number;
  stop(): Promise<void>;
}

interface Receiver {
  url: string;
  /** Resolves when the reply to this message has come. */
  reply(messageId: string): Promise<void>;
  close(): Promise<void>;
}

/** Takes replies, as the far side of the hook. */
async function startReceiver(): Promise<Receiver> {
  const waiting = new Map<string, () => void>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      response.end("{}");
      const { replyTo } = JSON.parse(Buffer.concat(chunks).toString()) as { replyTo: string };
      waiting.get(replyTo)?.();
      waiting.delete(replyTo);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/replies`,
    reply: (messageId) => new Promise((resolve) => waiting.set(messageId, resolve)),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** The real command, `signalbox serve`, on an empty data directory with one hook. */
async function startGateway(replyUrl: string): Promise<ServedGateway> {
  const dir = diskDir();
  const hook = { secret, out: { url: replyUrl, idempotent: true } };
  const config = {
    defaultAgent: "practice",
    channels: { webhook: { bench: hook } },
    log: { level: "warn" },
  };
  writeFileSync(join(dir, "config.yaml"), JSON.stringify(config)); // JSON is YAML
  const cli = join(import.meta.dirname, "..", "..", "bin", "signalbox.js");
  const child = spawn(process.execPath, [cli, "serve", "--json", "--data", dir], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const { url } = JSON.parse(line) as { url: string };
    return {
      url: url.replace(/\/$/, ""),
      cpuMs: () => cpuMsOf(child.pid),
      async stop() {
        const exited = once(child, "exit"); // its last words still go into its directory
        child.kill("SIGTERM");
        await exited;
      },
    };
  }
  throw new Error("The gateway ended before it was ready.");
}

/** Processor time of another process so far, user and system; 0 where the system does not tell. */
function cpuMsOf(pid: number | undefined): number {
  try {
    const fields = readFileSync(`/proc/${pid ?? 0}/stat`, "utf8")
      .replace(/^.*\) /, "")
      .split(" ");
    return (Number(fields[11]) + Number(fields[12])) * 10; // in hundredths of a second
  } catch {
    return 0;
  }
}

interface Load {
  perSecond: number;
  acceptedMs: number[];
  repliedMs: number[];
}

function loadOn(url: string, receiver: Receiver) {
  let nth = 0;
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });

  async function turn(lane: number, into: Load): Promise<void> {
    nth += 1;
    const messageId = `bench-${nth}`;
    const body = Buffer.from(
      JSON.stringify({ messageId, text: `hello ${nth}`, chat: { id: `lane-${lane}` } }),
    );
    const replied = receiver.reply(messageId);
    const startedMs = performance.now();
    await post(`${url}/hooks/bench`, body, agent);
    into.acceptedMs.push(performance.now() - startedMs);
    await replied;
    into.repliedMs.push(performance.now() - startedMs);
  }

  /** `turns` turns over `lanes` lanes: as fast as they go, or begun so many a second. */
  return async (lanes: number, turns: number, pace?: number): Promise<Load> => {
    const into: Load = { perSecond: 0, acceptedMs: [], repliedMs: [] };
    let left = turns;
    const startedMs = performance.now();
    await Promise.all(
      Array.from({ length: lanes }, async (_, lane) => {
        while (left > 0) {
          const dueMs = pace === undefined ? 0 : startedMs + ((turns - left) / pace) * 1000;
          left -= 1;
          await pause(dueMs - performance.now());
          await turn(lane, into);
        }
      }),
    );
    into.perSecond = (turns / (performance.now() - startedMs)) * 1000;
    return into;
  };
}

const pause = async (ms: number): Promise<void> => {
  if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
};

/** A signed POST; rejects where it is not accepted. */
function post(url: string, body: Buffer, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      url,
      {
        method: "POST",
        agent,
        headers: {
          "content-type": "application/json",
          "content-length": body.length,
          ...signatureHeaders(secret, body, Date.now()),
        },
      },
      (response) => {
        response.resume();
        response.on("end", () => {
          if (response.statusCode === 202) resolve();
          else reject(new Error(`The hook answered ${response.statusCode}.`));
        });
      },
    );
    request.on("error", (error) => {
      // A kept line that the other side had just closed; the message's id makes the second try safe.
      if (request.reusedSocket) resolve(post(url, body, agent));
      else reject(error);
    });
    request.end(body);
  });
}

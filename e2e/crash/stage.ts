import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { rpc, startGateway, writeConfig } from "./gateway-process.ts";
import type { Life } from "./gateway-process.ts";
import { settings } from "./line.ts";
import { pause, postHook } from "./people.ts";
import { readHeard, startRecording } from "./recording.ts";
import type { Weather } from "./weather.ts";

/** A gateway and a recording server for one small story, with everything done by hand. */
export interface Stage {
  /** Starts a life of the gateway; the one before it has ended. */
  start(): Promise<void>;
  kill(): Promise<void>;
  /** Asks it to stop, as the system does, and waits for its end. @returns its exit code. */
  stop(): Promise<number | null>;
  /** A person writes; resolves once it is confirmed. */
  say(hook: string, chat: string, id: string, text: string): Promise<void>;
  call(method: string, params?: unknown): Promise<unknown>;
  /** The key of a chat's lane. */
  key(hook: string, chat: string): string;
  /** Waits until a turn runs in a lane. */
  running(key: string): Promise<void>;
  /** What the person in a chat has before them. */
  heard(hook: string, chat: string): { replyTo: string | null; text: string }[];
  weather(weather: Weather): void;
  /** Whether the receipt of a clean stop lies there. */
  isClean(): boolean;
  /** Waits for a state; throws where it never comes. */
  until(what: string, look: () => boolean | Promise<boolean>): Promise<void>;
}

const giveUpMs = 30_000;
const detail = z.object({ turn: z.unknown().nullable() });

/** Plays a story on a stage of its own, which is cleared away afterwards. */
export async function onStage(
  given: { maxRestarts?: number },
  story: (stage: Stage) => Promise<void>,
): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), "signalbox-story-"));
  const dataDir = join(dir, "data");
  mkdirSync(dataDir, { mode: 0o700 });
  const file = join(dir, "heard.jsonl");
  const server = await startRecording(1, file);
  writeConfig(dataDir, settings(server.port, given.maxRestarts));
  let life: Life | null = null;
  let at: { url: string; token: string } | null = null;
  const where = (): { url: string; token: string } => {
    if (!at) throw new Error("the gateway is not there");
    return at;
  };
  const stage: Stage = {
    async start() {
      life = startGateway(dataDir, null);
      at = await life.ready;
      if (!at) throw new Error(`it does not start: ${life.child.stderr()}`);
    },
    async kill() {
      at = null;
      await life?.kill();
    },
    async stop() {
      at = null;
      life?.signal("SIGTERM");
      return (await life?.ended)?.code ?? null;
    },
    async say(hook, chat, id, text) {
      const status = await postHook(where().url, { hook, chat, type: "dm" }, chat, id, text);
      if (status !== 202) throw new Error(`refused with ${status}`);
    },
    call: (method, params) => rpc(where(), method, params),
    key: (hook, chat) => `agent:main:webhook:dm:${hook}:${chat}`,
    running: (key) =>
      stage.until(`a turn runs in ${key}`, async () => {
        return detail.parse(await stage.call("sessions.get", { key })).turn !== null;
      }),
    heard: (hook, chat) => readHeard(file).filter((one) => one.lane === `${hook}:${chat}`),
    weather: (weather) => {
      server.weather(weather);
    },
    isClean: () => existsSync(join(dataDir, ".clean_shutdown")),
    async until(what, look) {
      const startedMs = performance.now();
      while (!(await look())) {
        if (performance.now() - startedMs > giveUpMs)
          throw new Error(`it never came to this: ${what}`);
        await pause(20);
      }
    },
  };
  try {
    await story(stage);
  } finally {
    await stage.kill();
    server.stop();
    rmSync(dir, { recursive: true, force: true });
  }
}

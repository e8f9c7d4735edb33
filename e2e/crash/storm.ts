import { fork } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { z } from "zod";
import { failpointNames } from "../../core/failpoint.ts";
import type { Evidence, Fate, Heard } from "./evidence.ts";
import { rpc, startGateway, writeConfig } from "./gateway-process.ts";
import { createPeople, pause } from "./people.ts";
import type { Lane } from "./people.ts";
import { seeded } from "./seeded.ts";
import type { Chance } from "./seeded.ts";
import { anyWeather } from "./weather.ts";
import type { Weather } from "./weather.ts";

export interface StormOptions {
  kills: number;
  seed: number;
  /** Told how it goes. */
  say(line: string): void;
}

export interface StormResult {
  evidence: Evidence;
  kills: number;
  /** How often the process died at each place. */
  reached: Map<string, number>;
  /** Kept where something was wrong. */
  dir: string;
}

const secret = "a secret of the crash test";
const hooks = ["plain", "keyed", "parts", "asks"];

const lanes: Lane[] = hooks.flatMap((hook) => [
  lane(hook, "calm", "dm", 1),
  lane(hook, "bursty", "dm", 1),
  lane(hook, "unruly", hook === "plain" ? "group" : "dm", hook === "plain" ? 2 : 1),
]);

function lane(hook: string, temper: Lane["temper"], type: Lane["type"], people: number): Lane {
  const chat = `${hook}-${temper}`;
  const names = Array.from({ length: people }, (_, at) => `${chat}-${at + 1}`);
  return { name: `${hook}:${chat}`, hook, chat, type, people: names, temper };
}

/** Repeated kills are a crash loop by design: the breaker is tried on its own. */
const config = (port: number) => ({
  group_sessions_per_user: false,
  display: { busy_input_mode: "queue" },
  approvals: { destructive_slash_confirm: false },
  gateway: {
    delivery_retry_seconds: 0.2,
    quit_drain_timeout: 0.3,
    restart_loop_guard: { max_restarts: 0 },
    delivery_unknown_by_channel: { "webhook:asks": "ask" },
  },
  turns: { burst_gap: 0.06, burst_cap: 1 },
  log: { level: "warn" },
  defaultAgent: "practice",
  channels: {
    webhook: Object.fromEntries(
      hooks.map((hook) => [
        hook,
        {
          secret,
          out: {
            url: `http://127.0.0.1:${port}/${hook}`,
            timeoutMs: 400,
            idempotent: hook === "keyed",
            ...(hook === "parts" ? { partLength: 120 } : {}),
          },
        },
      ]),
    ),
  },
});

/** How one life of the gateway is to end. */
interface Plan {
  failpoint: string | null;
  /** The latest end, from its start, in ms. */
  killAfterMs: number;
  /** Asked to stop first, this long after it is ready; null: never. */
  stopAfterMs: number | null;
}

/** Every named place once or more, the rest at any time, in any order. */
function plans(kills: number, chance: Chance): Plan[] {
  const named = Array.from({ length: Math.ceil((kills * 0.7) / failpointNames.length) }, () =>
    chance.shuffled(failpointNames),
  ).flat();
  const all = named.slice(0, Math.max(failpointNames.length, Math.floor(kills * 0.7)));
  const plan = (name: string | null): Plan => {
    const stops = name?.startsWith("stop.") === true || chance.happens(0.12);
    return {
      failpoint: name === null ? null : `${name}@${atBoot(name) ? 1 : chance.between(1, 4)}`,
      killAfterMs: name === null ? chance.between(50, 1400) : 2500,
      stopAfterMs: stops ? chance.between(0, 600) : null,
    };
  };
  const random = Math.max(0, kills - all.length);
  return chance.shuffled([...all.map(plan), ...Array.from({ length: random }, () => plan(null))]);
}

const atBoot = (name: string): boolean => name.startsWith("boot.") || name.startsWith("stop.");

/** Runs people, gateway and recording server through `kills` deaths of the gateway, then lets it come to rest. */
export async function storm({ kills, seed, say }: StormOptions): Promise<StormResult> {
  const dir = mkdtempSync(join(tmpdir(), "signalbox-crash-"));
  const dataDir = join(dir, "data");
  mkdirSync(dataDir, { mode: 0o700 });
  const heardFile = join(dir, "heard.jsonl");
  const chance = seeded(seed);
  const server = fork(join(import.meta.dirname, "recording-server.ts"), [String(seed), heardFile]);
  const port = await portOf(server);
  writeConfig(dataDir, config(port));
  const sky = (weather: Weather): void => void server.send(weather);

  let at: { url: string; token: string } | null = null;
  let up: (() => void)[] = [];
  const open = (where: { url: string; token: string }): void => {
    at = where;
    for (const go of up.splice(0)) go();
  };
  const people = createPeople(
    lanes,
    secret,
    { now: () => at, next: () => new Promise((resolve) => up.push(resolve)) },
    chance.branch("people"),
  );
  const reached = new Map<string, number>();
  const reordered = new Set<string>();
  const weather = chance.branch("weather");

  for (const [nth, plan] of plans(kills, chance.branch("plans")).entries()) {
    if (nth % 4 === 0) sky(anyWeather(weather));
    const life = startGateway(dataDir, plan.failpoint);
    let over = false;
    const dies = setTimeout(() => void life.kill(), plan.killAfterMs);
    void life.ready.then(async (where) => {
      if (!where || over) return;
      open(where);
      if (plan.stopAfterMs !== null) {
        await pause(plan.stopAfterMs);
        if (!over) life.signal("SIGTERM");
        return;
      }
      await meddle(where, reordered, chance).catch(() => undefined); // it died meanwhile
    });
    const killedBy = await Promise.race([life.ended, people.trouble.then(() => life.ended)]);
    over = true;
    at = null;
    clearTimeout(dies);
    const name = plan.failpoint?.split("@")[0] ?? null;
    if (killedBy.signal === null && killedBy.code !== 0)
      throw new Error(`the gateway failed by itself (${killedBy.code}): ${life.child.stderr()}`);
    if (name !== null && killedBy.signal === "SIGKILL" && !dies.hasRef())
      reached.set(name, (reached.get(name) ?? 0) + 1);
    if ((nth + 1) % 50 === 0) say(`${nth + 1} kills`);
  }
  up = [];
  sky({ kind: "fair" });
  await pause(50);
  const last = startGateway(dataDir, null);
  const where = await last.ready;
  if (!where) throw new Error(`the gateway does not start: ${last.child.stderr()}`);
  open(where);
  await people.finish();
  const byOperator = new Set<string>();
  await rest(where, byOperator, () => readHeard(heardFile));
  last.signal("SIGTERM");
  await last.ended;
  server.disconnect();
  return {
    evidence: {
      said: people.said,
      heard: readHeard(heardFile),
      fates: readFates(join(dataDir, "state.db")),
      byOperator,
      reordered,
    },
    kills,
    reached,
    dir,
  };
}

const portMessage = z.object({ port: z.number().int() });
const portOf = (server: ChildProcess): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once("message", (told) => {
      resolve(portMessage.parse(told).port);
    });
    server.once("exit", () => {
      reject(new Error("the recording server ended"));
    });
  });

export const forget = (result: StormResult): void => {
  rmSync(result.dir, { recursive: true, force: true });
};

function readHeard(file: string): Heard[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Heard);
}

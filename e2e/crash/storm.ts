import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FailpointName } from "../../core/failpoint.ts";
import type { Evidence } from "./evidence.ts";
import { startGateway, writeConfig } from "./gateway-process.ts";
import { lanes, settings } from "./line.ts";
import { comeToRest, meddle } from "./operator.ts";
import type { OperatorLog } from "./operator.ts";
import { createPeople, pause } from "./people.ts";
import { plans } from "./plans.ts";
import { readFates, readHeard, startRecording } from "./recording.ts";
import { seeded } from "./seeded.ts";
import { anyWeather } from "./weather.ts";

export interface StormOptions {
  kills: number;
  seed: number;
  /** Told how it goes. */
  say(line: string): void;
}

/** A start that takes longer is a fault of the machine's load, not a place to look at, in ms. */
const longestBootMs = 30_000;

export interface StormResult {
  evidence: Evidence;
  kills: number;
  /** How often the process died by itself at each place. */
  reached: Map<FailpointName, number>;
  /** Everything that was written; removed by `forget`. */
  dir: string;
}

/** Runs people, gateway and recording server through `kills` deaths of the gateway, then lets it come to rest. */
export async function storm({ kills, seed, say }: StormOptions): Promise<StormResult> {
  const dir = mkdtempSync(join(tmpdir(), "signalbox-crash-"));
  const dataDir = join(dir, "data");
  mkdirSync(dataDir, { mode: 0o700 });
  const heardFile = join(dir, "heard.jsonl");
  const chance = seeded(seed);
  const server = await startRecording(seed, heardFile);
  writeConfig(dataDir, settings(server.port));

  let at: { url: string; token: string } | null = null;
  const ups: (() => void)[] = [];
  const open = (where: { url: string; token: string }): void => {
    at = where;
    for (const up of ups.splice(0)) up();
  };
  const people = createPeople(
    lanes,
    { now: () => at, next: () => new Promise((resolve) => ups.push(resolve)) },
    chance.branch("people"),
  );
  const log: OperatorLog = { resent: new Set(), reordered: new Set(), removed: false };
  const reached = new Map<FailpointName, number>();
  const weather = chance.branch("weather");
  const hand = chance.branch("operator");
  const plan = plans(chance.branch("plans"));

  let done = 0;
  for (let life = 0; done < kills; life += 1) {
    if (life % 4 === 0) server.weather(anyWeather(weather));
    const { place, nth, kill, stopAfterMs, meddles } = plan.next().value;
    const gateway = startGateway(dataDir, place === null ? null : `${place}@${nth}`);
    const end = { byUs: false };
    const killIn = (ms: number): void => {
      timers.push(
        setTimeout(() => {
          end.byUs = true;
          void gateway.kill();
        }, ms),
      );
    };
    const timers: NodeJS.Timeout[] = [];
    killIn(kill.from === "start" ? kill.afterMs : longestBootMs);
    const stopping = gateway.ready.then(async (where) => {
      if (!where || end.byUs) return;
      open(where);
      if (kill.from === "ready") killIn(kill.afterMs);
      if (meddles) meddle(where, log, hand, place).catch(() => undefined); // until it is gone
      if (stopAfterMs === null) return;
      await pause(stopAfterMs);
      gateway.signal("SIGTERM");
    });
    const { code, signal } = await people.unlessRefused(gateway.ended);
    at = null;
    for (const timer of timers) clearTimeout(timer);
    await stopping;
    at = null;
    if (signal === "SIGKILL") {
      done += 1;
      if (place !== null && !end.byUs) reached.set(place, (reached.get(place) ?? 0) + 1);
      if (done % 50 === 0) say(`${done} kills`);
    } else if (code !== 0) {
      throw new Error(
        `the gateway failed by itself (${code ?? signal}): ${gateway.child.stderr()}`,
      );
    }
  }

  server.weather({ kind: "fair" });
  const last = startGateway(dataDir, null);
  try {
    const where = await last.ready;
    if (!where) throw new Error(`the gateway does not start: ${last.child.stderr()}`);
    open(where);
    await people.finish();
    await comeToRest(where, log, () => readHeard(heardFile));
    last.signal("SIGTERM");
    await last.ended;
  } catch (cause) {
    await last.kill();
    throw new Error(`it does not come to rest; everything is in ${dir}`, { cause });
  } finally {
    server.stop();
  }
  return {
    evidence: {
      said: people.said,
      heard: readHeard(heardFile),
      fates: readFates(dataDir),
      byOperator: log.resent,
      hasty: new Set(lanes.flatMap(({ name, temper }) => (temper === "hasty" ? [name] : []))),
      reordered: log.reordered,
    },
    kills: done,
    reached,
    dir,
  };
}

export const forget = ({ dir }: StormResult): void => {
  rmSync(dir, { recursive: true, force: true });
};

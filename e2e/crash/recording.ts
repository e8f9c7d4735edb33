import { fork } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { z } from "zod";
import type { Fate, Heard } from "./evidence.ts";
import type { Weather } from "./weather.ts";

export interface Recording {
  port: number;
  weather(weather: Weather): void;
  stop(): void;
}

const ready = z.object({ port: z.number().int() });

/** Starts the recording server in a process of its own. */
export function startRecording(seed: number, file: string): Promise<Recording> {
  const child = fork(join(import.meta.dirname, "recording-server.ts"), [String(seed), file]);
  return new Promise((resolve, reject) => {
    child.once("exit", (code) => {
      reject(new Error(`the recording server ended (${code})`));
    });
    child.once("message", (told) => {
      resolve({
        port: ready.parse(told).port,
        weather: (weather) => void child.send(weather),
        stop: () => {
          child.disconnect();
        },
      });
    });
  });
}

/** All that the server took, in order. */
export function readHeard(file: string): Heard[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Heard);
}

/** What the journal of a stopped gateway says became of each message. */
export function readFates(dataDir: string): Fate[] {
  const db = new Sqlite(join(dataDir, "state.db"), { readonly: true });
  try {
    return db
      .prepare<[], Fate>(
        `SELECT i.platform_message_id AS id, i.outcome, head.platform_message_id AS mergedInto
           FROM inbound_journal i LEFT JOIN inbound_journal head ON head.seq = i.merged_into
          WHERE i.platform_message_id IS NOT NULL`,
      )
      .all();
  } finally {
    db.close();
  }
}

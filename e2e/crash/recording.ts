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

interface JournalRow {
  id: string | null;
  outcome: string | null;
  mergedInto: string | null;
  turn: string | null;
  /** The cut turn that this row takes up. */
  resumes: string | null;
}

/** What the journal of a stopped gateway says became of each message; of one whose turn was cut, what the last try came to. */
export function readFates(dataDir: string): Fate[] {
  const db = new Sqlite(join(dataDir, "state.db"), { readonly: true });
  try {
    const rows = db
      .prepare<[], JournalRow>(
        `SELECT i.platform_message_id AS id, i.outcome, head.platform_message_id AS mergedInto, i.turn_id AS turn,
           json_extract(i.event_json, '$.resume.turn_id') AS resumes
           FROM inbound_journal i LEFT JOIN inbound_journal head ON head.seq = i.merged_into ORDER BY i.seq`,
      )
      .all();
    const resumed = new Map(
      rows.flatMap((row) => (row.resumes === null ? [] : [[row.resumes, row]])),
    );
    const last = (row: JournalRow): JournalRow => {
      const next = row.turn === null ? undefined : resumed.get(row.turn);
      return next ? last(next) : row;
    };
    return rows.flatMap((row) =>
      row.id === null
        ? []
        : [{ id: row.id, outcome: last(row).outcome, mergedInto: row.mergedInto }],
    );
  } finally {
    db.close();
  }
}

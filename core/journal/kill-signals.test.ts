import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../testing/temp-dir.ts";
import { killSignals } from "./testing/kill-signals.ts";

test("killed again and again: no signal without its change, no change without its signal, no notice lost or doubled", async () => {
  expect(await killSignals(join(tempDir(), "data"), 5)).toEqual([]);
}, 120_000);

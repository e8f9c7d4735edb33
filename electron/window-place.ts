import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { z } from "zod";

/** Where the window was, in device-independent pixels. */
const windowPlace = z.object({
  x: z.number().int(),
  y: z.number().int(),
  width: z.number().int().min(1).max(100_000),
  height: z.number().int().min(1).max(100_000),
  maximized: z.boolean(),
});
export type WindowPlace = z.output<typeof windowPlace>;

export type Area = Pick<WindowPlace, "x" | "y" | "width" | "height">;

/** Of a title bar, what a hand needs to drag the window by, in device-independent pixels. */
const GRIP = 80;

/** @returns null on a first start, and where the file cannot be read as a place. */
export function readPlace(file: string): WindowPlace | null {
  try {
    const read = windowPlace.safeParse(JSON.parse(readFileSync(file, "utf8")) as unknown);
    return read.success ? read.data : null;
  } catch {
    return null;
  }
}

/** Best effort: a window that opens at its default place is no reason to bother anyone. */
export function writePlace(file: string, place: WindowPlace): void {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(`${file}.new`, `${JSON.stringify(place)}\n`, { mode: 0o600 });
    renameSync(`${file}.new`, file);
  } catch {
    // read-only or full disk
  }
}

/**
 * Whether a window put there could be seen and moved: a good part of its upper edge lies on a screen that
 * is connected now.
 *
 * @param screens The work areas of the connected screens.
 */
export function isReachable(place: Area, screens: readonly Area[]): boolean {
  return screens.some((screen) => {
    const across =
      Math.min(place.x + place.width, screen.x + screen.width) - Math.max(place.x, screen.x);
    const isTopInside = place.y >= screen.y && place.y <= screen.y + screen.height - GRIP;
    return across >= GRIP && isTopInside;
  });
}

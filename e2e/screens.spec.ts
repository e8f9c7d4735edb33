/** A picture of every screen, in both themes and two widths, to be looked at: e2e/screenshots/. */
import { join } from "node:path";
import { expect, test } from "./support/host.ts";
import { populate, scenes, settle } from "./support/scenes.ts";

const FOLDER = join(import.meta.dirname, "screenshots");

test("every screen is shown", async ({ host }) => {
  test.setTimeout(240_000);
  await populate(host);
  const { page } = host;
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") faults.push(message.text());
  });
  for (const width of [1024, 1600]) {
    await page.setViewportSize({ width, height: width === 1024 ? 700 : 1000 });
    for (const theme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme: theme });
      for (const scene of scenes) {
        await page.goto(new URL("/", page.url()).href);
        await scene.show(host);
        await settle(page);
        await page.screenshot({
          path: join(FOLDER, host.kind, `${scene.name}-${theme}-${width}.png`),
          animations: "disabled",
        });
        const overflows = await page.evaluate(
          () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
        );
        expect.soft(overflows, `${scene.name} at ${width} scrolls sideways`).toBe(false);
      }
    }
  }
  expect(faults).toEqual([]);
});

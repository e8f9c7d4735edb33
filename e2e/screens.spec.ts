/** A picture of every screen, in both themes and two widths, to be looked at: e2e/screenshots/. */
import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "./support/host.ts";
import { populate, scenes, settle } from "./support/scenes.ts";

const FOLDER = join(import.meta.dirname, "screenshots");

/** What the README shows; written only when asked for, so that a test run changes nothing under version control. */
const IMAGES = join(import.meta.dirname, "..", "docs", "images");
const shown: ReadonlySet<string> = new Set(["inspector-light-1600", "inspector-dark-1600"]);

/** What is shown where a language lacks a text: its key, as `recovery.phase.lanes`. */
const LOCALE_KEY = /(?<![\w./])[a-z][A-Za-z]*(?:\.[a-z][A-Za-z_]*){2,}(?![\w./])/;

const sizes = [
  { width: 1024, height: 700 },
  { width: 1600, height: 1000 },
];

for (const theme of ["light", "dark"] as const) {
  test(`every screen is shown, ${theme}`, async ({ host }) => {
    test.setTimeout(240_000);
    await populate(host);
    const { page } = host;
    const faults: string[] = [];
    page.on("pageerror", (error) => faults.push(String(error)));
    page.on("console", (message) => {
      if (message.type() === "error") faults.push(message.text()); // what the policy blocked is among these
    });
    await page.emulateMedia({ colorScheme: theme });
    for (const scene of scenes) {
      await page.goto(new URL("/", page.url()).href);
      await scene.show(host);
      const words = await page.locator("body").innerText();
      expect
        .soft(words.match(LOCALE_KEY), `${scene.name} shows a key for want of its words`)
        .toBeNull();
      for (const size of sizes) {
        await page.setViewportSize(size);
        await settle(page);
        const picture = `${scene.name}-${theme}-${size.width}`;
        const path = join(FOLDER, host.kind, `${picture}.png`);
        await page.screenshot({ path, animations: "disabled" });
        const overflows = await page.evaluate(
          () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
        );
        expect.soft(overflows, `${picture} scrolls sideways`).toBe(false);
        if (process.env["SIGNALBOX_README_IMAGES"] !== "1" || !shown.has(picture)) continue;
        mkdirSync(IMAGES, { recursive: true });
        copyFileSync(path, join(IMAGES, `${picture}.png`));
      }
    }
    expect(faults).toEqual([]);
  });
}

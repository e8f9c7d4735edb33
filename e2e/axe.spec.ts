/** What a machine can find of barriers: nothing serious or critical, on any screen, in either theme. */
import { AxeBuilder } from "@axe-core/playwright";
import { expect, test } from "./support/host.ts";
import { populate, scenes, settle } from "./support/scenes.ts";

for (const theme of ["light", "dark"] as const) {
  test(`no screen has a serious barrier, ${theme}`, async ({ host }) => {
    test.setTimeout(240_000);
    await populate(host);
    const { page } = host;
    await page.emulateMedia({ colorScheme: theme });
    for (const scene of scenes) {
      await page.goto(new URL("/", page.url()).href);
      await scene.show(host);
      await settle(page);
      const { violations, passes } = await new AxeBuilder({ page }).setLegacyMode().analyze();
      const serious = violations
        .filter(({ impact }) => impact === "serious" || impact === "critical")
        .map(({ id, nodes }) => ({ id, at: nodes.map(({ html }) => html.slice(0, 200)) }));
      expect(passes.length).toBeGreaterThan(10); // it did look
      expect.soft(serious, scene.name).toEqual([]);
    }
  });
}

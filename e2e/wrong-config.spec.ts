/** A wrong config file: said where and why, defaults in force, nothing changed on disk. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "./support/host.ts";
import { panelOf } from "./support/panel.ts";

const wrong: { what: string; text: string; says: RegExp[] }[] = [
  {
    what: "a value that cannot be",
    text: "# my settings\ndefaultAgent: practice\nserver:\n  host: 0.0.0.0 # for the tablet\n",
    says: [/server\.host/, /line 4/, /127\.0\.0\.1/],
  },
  {
    what: "a text that is no YAML",
    text: "# my settings\nchannels:\n  local: [enabled\ndefaultAgent: practice\n",
    says: [/line [345]/],
  },
];

for (const { what, text, says } of wrong) {
  test.describe(what, () => {
    test.use({ config: text });

    test("is said in the panel with its place and remedy, and the file is left as it is", async ({
      host,
    }) => {
      const { state, problems } = await host.call("gateway.status", {});
      expect(state).toBe("up");
      const said = problems.map((one) => [one.message, one.where, one.remedy].join(" ")).join("\n");
      for (const pattern of says) expect(said).toMatch(pattern);
      expect(problems.map(({ remedy }) => remedy)).not.toContain(null);

      const { goTo } = panelOf(host.page);
      await goTo("Overview");
      const needs = host.page.getByRole("region", { name: "Needs you" });
      await expect(needs).toContainText(problems[0]?.message ?? "?");
      await goTo("Settings");
      for (const { message } of problems) {
        await expect(host.page.getByRole("main")).toContainText(message);
      }

      const { key } = await host.call("sessions.create", { title: "Works all the same" });
      const sent = await host.call("sessions.send", { key, text: "hello" });
      expect(sent).toMatchObject({ accepted: true });
      const set = await host.running.call("config.set", { path: "log.level", value: "debug" });
      expect(set).toMatchObject({ ok: false, error: { code: "E_CONFIG" } });
      const file = join(host.dataDir, "config.yaml");
      expect(readFileSync(file, "utf8")).toBe(text);
      expect(await host.stop()).toEqual({ code: 0, signal: null });
      expect(readFileSync(file, "utf8")).toBe(text);
    });
  });
}

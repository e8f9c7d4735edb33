/** A wrong config file: said where and why, defaults in force, nothing changed on disk. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "./support/host.ts";

const wrong = `# my settings
defaultAgent: practice
channels:
  local:
    enabled: true
  webhok: {}   # a slip
`;

test.use({ config: wrong });

test("the gateway starts in safe mode, says the line, the field and the remedy, and keeps its hands off the file", async ({
  host,
}) => {
  const { state, problems } = await host.call("gateway.status", {});
  expect(state).toBe("up");
  expect(problems).toHaveLength(1);
  expect(problems[0]).toMatchObject({ code: "E_CONFIG" });
  const [problem] = problems;
  const said = `${problem?.message} ${problem?.where} ${problem?.remedy}`;
  expect(said).toContain("webhok");
  expect(said).toMatch(/line 6|:6\b/);
  expect(problem?.remedy).toBeTruthy();

  const banner = host.page.getByRole("alert").filter({ hasText: "webhok" });
  await expect(banner).toBeVisible();

  const { key } = await host.call("sessions.create", { title: "Works all the same" });
  expect(await host.call("sessions.send", { key, text: "hello" })).toMatchObject({
    accepted: true,
  });
  const file = join(host.dataDir, "config.yaml");
  expect(readFileSync(file, "utf8")).toBe(wrong);
  expect(await host.stop()).toEqual({ code: 0, signal: null });
  expect(readFileSync(file, "utf8")).toBe(wrong);
});

/** The page outlives the gateway: it says what is wrong, and is true again by itself once the gateway is back. */
import type { CallInput, CallName } from "../core/contract/calls.ts";
import { expect, test } from "./support/host.ts";
import { loginLink, serve } from "./support/launch-headless.ts";
import type { Served } from "./support/launch-headless.ts";
import { panelOf } from "./support/panel.ts";

async function call<N extends CallName>({ rpc }: Served, name: N, input: CallInput<N>) {
  expect((await rpc(name, input)).status).toBe(200);
}

test("a panel that is open while its gateway is killed and started again", async ({
  dataDir,
  page,
}) => {
  const first = await serve(dataDir);
  const panel = panelOf(page);
  await page.goto(await loginLink(first));
  await panel.goTo("Sessions");
  await call(first, "sessions.create", { title: "Before" });
  await expect(panel.row("Before")).toBeVisible();

  first.child.process.kill("SIGKILL");
  await first.child.ended;
  await expect(panel.footer).toContainText("Not connected to the gateway");
  await expect(panel.row("Before")).toBeVisible(); // the last that was known stays readable

  const second = await serve(dataDir, { args: ["--port", new URL(first.url).port] });
  expect(second.url).toBe(first.url);
  await call(second, "sessions.create", { title: "After" });
  await expect(panel.footer).toContainText("gateway up", { timeout: 30_000 });
  await expect(panel.row("After")).toBeVisible();
  await expect(panel.row("Before")).toBeVisible();
  await call(second, "sessions.create", { title: "Pushed" });
  await expect(panel.row("Pushed")).toBeVisible();
  second.child.process.kill("SIGTERM");
  expect(await second.child.ended).toEqual({ code: 0, signal: null });
});

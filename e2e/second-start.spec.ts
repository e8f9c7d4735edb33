/** A data directory has one owner: whoever comes second is told who that is, and ends with 1. */
import { EndedEarly } from "./support/child.ts";
import { expect, test } from "./support/host.ts";
import { launchDesktop, realElectron } from "./support/launch-desktop.ts";
import { serve } from "./support/launch-headless.ts";

const refused = (start: Promise<unknown>): Promise<EndedEarly | "started"> =>
  start.then(
    () => "started",
    (error: unknown) => error as EndedEarly,
  );

test("a second headless start names the owner and leaves it alone", async ({ host }) => {
  const { pid, startedAtMs } = await host.call("gateway.status", {});
  const second = await refused(serve(host.dataDir));
  expect(second).toBeInstanceOf(EndedEarly);
  const { status, output } = second as EndedEarly;
  expect(status).toBe(1);
  expect(output).toContain(`process ${pid}`);
  const since = /since (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)/.exec(output)?.[1] ?? "";
  expect(Math.abs(new Date(since).getTime() - startedAtMs)).toBeLessThan(1000);
  expect(await host.call("gateway.status", {})).toMatchObject({ pid, state: "up" });
});

test("a second desktop start does the same", async ({ host }) => {
  test.skip(realElectron() !== undefined, "its dialog waits for a person");
  const { pid } = await host.call("gateway.status", {});
  const second = await refused(launchDesktop({ dataDir: host.dataDir }));
  expect(second).toBeInstanceOf(EndedEarly);
  const { status, output } = second as EndedEarly;
  expect(status).toBe(1);
  expect(output).toContain(`in use by process ${pid}, since `);
  expect(await host.call("gateway.status", {})).toMatchObject({ pid, state: "up" });
});

test("a killed owner holds nothing back", async ({ host }) => {
  await host.kill();
  await host.start();
  expect(await host.call("gateway.status", {})).toMatchObject({
    state: "up",
    previousExit: "unclean",
  });
});

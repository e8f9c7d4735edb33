/** A conversation on the local channel: said, answered as it is written, listed and counted, live; and still there later. */
import { expect, test } from "./support/host.ts";
import { panelOf } from "./support/panel.ts";

test.use({ viewport: { width: 1600, height: 900 } });

test("a conversation is started, answered live, and survives a stop and a start", async ({
  host,
}) => {
  const { page } = host;
  const panel = panelOf(page);
  await panel.goTo("Sessions");
  await panel.newConversation.click();
  await expect(panel.composer).toBeFocused();

  await test.step("the reply streams in", async () => {
    await panel.composer.fill("!stream 1600");
    await panel.composer.press("Enter");
    await expect(panel.composer).toHaveValue("");
    await expect(panel.transcript.getByText("!stream 1600")).toBeVisible();
    const written = () => panel.transcript.innerText().then((text) => text.length);
    await expect(panel.transcript).toContainText("the signal at the junction");
    const early = await written();
    await expect.poll(written).toBeGreaterThan(early); // it grows while one looks
    await expect(panel.footer).toContainText("running 1");
    await expect(panel.footer).toContainText("running 0");
    expect(await written()).toBeGreaterThan(early);
  });

  await test.step("a short one is answered whole", async () => {
    await panel.composer.fill("hello");
    await page.getByRole("button", { name: "Send" }).click();
    await expect(panel.transcript.getByText("You said: hello")).toBeVisible();
  });

  const { sessions } = await host.call("sessions.list", {});
  expect(sessions).toHaveLength(1);
  const { key, title } = sessions[0] ?? { key: "", title: "" };

  await test.step("the list shows it with key, state and counters, and follows what others do", async () => {
    await panel.goTo("Sessions");
    const row = panel.sessions.getByRole("row").nth(1);
    await expect(row).toContainText(title);
    await expect(row).toContainText("idle");
    await expect(row.getByTitle(key).or(row.getByText(key)).first()).toBeVisible();
    const messages = row.getByRole("gridcell").nth(6);
    await expect(messages).toHaveText("4");
    await host.call("sessions.send", { key: sessions[0]!.key, text: "!sleep 2s from elsewhere" });
    await expect(row).toContainText("running");
    await expect(row).toContainText("idle");
    await expect(messages).toHaveText("6");
    await host.call("sessions.create", { title: "Another one" });
    await expect(panel.row("Another one")).toBeVisible();
  });

  await test.step("after a stop and a start everything is still there", async () => {
    expect(await host.stop()).toEqual({ code: 0, signal: null });
    await host.start();
    const again = panelOf(host.page);
    await again.goTo("Sessions");
    await expect(again.row("Another one")).toBeVisible();
    await again.sessions
      .getByRole("row")
      .filter({ hasNotText: "Another one" })
      .nth(1)
      .press("Enter");
    await expect(again.transcript.getByText("You said: hello")).toBeVisible();
    await expect(again.transcript.getByText("You said: from elsewhere")).toBeVisible();
    await again.composer.fill("and on");
    await again.composer.press("Enter");
    await expect(again.transcript.getByText("You said: and on")).toBeVisible();
  });
});

/** Suspend and back, reset, stop: the same from row menu, detail, palette and key (ux.md 7). */
import type { Page } from "playwright";
import type { SessionKey } from "../core/contract/ids.ts";
import { expect, test } from "./support/host.ts";
import type { Host } from "./support/host.ts";
import { panelOf } from "./support/panel.ts";

const NAME = "Anna";

type Lever = "Suspend" | "Resume" | "Reset…" | "Stop the turn…";
const named: Record<Lever, string> = {
  Suspend: `Suspend ${NAME}`,
  Resume: `Resume ${NAME}`,
  "Reset…": `Reset ${NAME}…`,
  "Stop the turn…": `Stop the turn of ${NAME}…`,
};
const keys: Record<Lever, string> = {
  Suspend: "s",
  Resume: "u",
  "Reset…": "r",
  "Stop the turn…": "c",
};

/** Pulls a lever in one of the four ways. The list is on screen, with the session in it. */
const ways: Record<string, (page: Page, lever: Lever) => Promise<void>> = {
  "row menu": async (page, lever) => {
    await page.getByRole("button", { name: `Actions for ${NAME}` }).click();
    await page.getByRole("menuitem", { name: lever }).click();
  },
  detail: async (page, lever) => {
    const { open, inspector } = panelOf(page);
    await open(NAME);
    const button = inspector.getByRole("button", { name: lever });
    if (await button.isVisible()) await button.click();
    else {
      await inspector.getByRole("button", { name: "More actions" }).click();
      await page.getByRole("menuitem", { name: lever }).click();
    }
  },
  palette: async (page, lever) => {
    const { row, palette } = panelOf(page);
    await row(NAME).focus();
    await page.keyboard.press("ControlOrMeta+k");
    await page.keyboard.insertText(named[lever]);
    await expect(palette.getByRole("option", { name: named[lever] }).first()).toBeVisible();
    await page.keyboard.press("Enter");
  },
  key: async (page, lever) => {
    await panelOf(page).row(NAME).focus();
    await page.keyboard.press(keys[lever]);
  },
};

async function withAnna(host: Host): Promise<SessionKey> {
  const { key } = await host.call("sessions.create", { title: NAME });
  await host.call("sessions.send", { key, text: "hello" });
  const panel = panelOf(host.page);
  await panel.goTo("Sessions");
  await expect(panel.row(NAME)).toContainText("idle");
  return key;
}

for (const [way, pull] of Object.entries(ways)) {
  test.describe(way, () => {
    test("suspend, undo, suspend, resume", async ({ host }) => {
      const key = await withAnna(host);
      const { page } = host;
      const { row, toast } = panelOf(page);
      await pull(page, "Suspend");
      await expect(row(NAME)).toContainText("suspended");
      await expect(toast(`Suspended ${NAME}`)).toContainText("The next message will start fresh.");
      await toast(`Suspended ${NAME}`).getByRole("button", { name: "Undo" }).click();
      await expect(row(NAME)).toContainText("idle");
      expect(await host.call("sessions.get", { key })).toMatchObject({ nextMessage: "continue" });

      await pull(page, "Suspend");
      await expect(row(NAME)).toContainText("suspended");
      await pull(page, "Resume");
      await expect(row(NAME)).toContainText("idle");
      expect(await host.call("sessions.get", { key })).toMatchObject({ nextMessage: "continue" });
    });

    test("reset asks first, with Cancel in focus", async ({ host }) => {
      const key = await withAnna(host);
      const { page } = host;
      const { row, dialog } = panelOf(page);
      const before = await host.call("sessions.get", { key });
      await pull(page, "Reset…");
      await expect(dialog).toContainText(`Reset ${NAME}?`);
      await expect(dialog.getByRole("button", { name: "Cancel" })).toBeFocused();
      await page.keyboard.press("Enter");
      await expect(dialog).toBeHidden();
      expect((await host.call("sessions.get", { key })).sessionId).toBe(before.sessionId);

      await pull(page, "Reset…");
      await expect(dialog).toContainText("2 stay readable");
      await dialog.getByRole("button", { name: "Reset", exact: true }).click();
      await expect(dialog).toBeHidden();
      await expect(row(NAME)).toContainText("idle");
      const after = await host.call("sessions.get", { key });
      expect(after.sessionId).not.toBe(before.sessionId);
    });

    test("a running turn is stopped after a question", async ({ host }) => {
      const key = await withAnna(host);
      const { page } = host;
      const { row, dialog } = panelOf(page);
      await host.call("sessions.send", { key, text: "!sleep 60s" });
      await expect(row(NAME)).toContainText("running");
      await pull(page, "Stop the turn…");
      await expect(dialog).toContainText(`Stop the turn of ${NAME}?`);
      await expect(dialog.getByRole("button", { name: "Cancel" })).toBeFocused();
      await dialog.getByRole("button", { name: "Stop the turn" }).click();
      await expect(dialog).toBeHidden();
      await expect(row(NAME)).toContainText("idle");
      const { messages } = await host.call("sessions.history", { key });
      expect(messages.map(({ text }) => text).slice(0, 3)).toEqual([
        "hello",
        "You said: hello",
        "!sleep 60s",
      ]); // the conversation stays
    });
  });
}

test("the message after a suspension starts fresh, and withdraws the undo with its reason", async ({
  host,
}) => {
  const key = await withAnna(host);
  const { page } = host;
  const { open, row, toast, transcript, composer, inspector } = panelOf(page);
  const before = await host.call("sessions.get", { key });
  await open(NAME);
  await expect(inspector).toContainText("Next message continues this transcript");
  await row(NAME).focus();
  await page.keyboard.press("s");
  await expect(inspector).toContainText("Next message starts fresh, because suspended");
  await expect(toast(`Suspended ${NAME}`)).toBeVisible();
  await composer.fill("a new start");
  await composer.press("Enter");
  await expect(toast(/Undo is no longer possible/)).toBeVisible();
  await expect(transcript.getByText("You said: a new start")).toBeVisible();
  await expect(row(NAME)).toContainText("idle");
  const after = await host.call("sessions.get", { key });
  expect(after.sessionId).not.toBe(before.sessionId);
  const old = await host.call("sessions.history", { key, sessionId: before.sessionId });
  expect(old.messages.map(({ text }) => text)).toEqual(["hello", "You said: hello"]); // readable still
});

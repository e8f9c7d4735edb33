/** The mouse unplugged: everything of conversation.spec and lever.spec that a person does, by keys alone. */
import { expect, test } from "./support/host.ts";
import { panelOf } from "./support/panel.ts";

test("a conversation, by keys alone", async ({ host }) => {
  const { page } = host;
  const { keyboard } = page;
  const { rail, composer, transcript, sessions, palette, row } = panelOf(page);

  await expect(rail).toBeVisible();
  await keyboard.press("ControlOrMeta+k");
  await expect(palette).toBeVisible();
  await keyboard.insertText("New conversation");
  await expect(palette.getByRole("option", { name: "New conversation" })).toBeVisible();
  await keyboard.press("Enter");
  await expect(composer).toBeFocused();
  await keyboard.insertText("hello by keys");
  await keyboard.press("Enter");
  await expect(transcript.getByText("You said: hello by keys")).toBeVisible();
  await expect(composer).toBeFocused(); // the next line can follow at once

  await host.call("sessions.create", { title: "Second" });
  await keyboard.press("ControlOrMeta+2");
  await expect(page.getByRole("heading", { level: 1, name: "Sessions" })).toBeVisible();
  await expect(sessions.getByRole("row").nth(1)).toBeFocused();
  await expect(row("Second")).toBeFocused();
  await keyboard.press("j");
  await expect(sessions.getByRole("row").nth(2)).toBeFocused();
  await keyboard.press("Enter");
  await expect(transcript.getByText("You said: hello by keys")).toBeVisible();
});

test("the levers, by keys alone", async ({ host }) => {
  const { page } = host;
  const { keyboard } = page;
  const { rail, row, dialog, palette } = panelOf(page);
  const { key } = await host.call("sessions.create", { title: "Anna" });
  await host.call("sessions.send", { key, text: "hello" });
  const { sessionId } = await host.call("sessions.get", { key });
  await expect(rail).toBeVisible();

  await keyboard.press("ControlOrMeta+2");
  await expect(row("Anna")).toBeFocused();
  await expect(row("Anna")).toContainText("idle");
  await keyboard.press("s");
  await expect(row("Anna")).toContainText("suspended");
  await keyboard.press("ControlOrMeta+z");
  await expect(row("Anna")).toContainText("idle");
  await keyboard.press("s");
  await expect(row("Anna")).toContainText("suspended");
  await keyboard.press("u");
  await expect(row("Anna")).toContainText("idle");

  await keyboard.press("r");
  await expect(dialog.getByRole("button", { name: "Cancel" })).toBeFocused();
  await keyboard.press("Escape");
  await expect(dialog).toBeHidden();
  await expect(row("Anna")).toBeFocused();
  expect((await host.call("sessions.get", { key })).sessionId).toBe(sessionId);
  await keyboard.press("r");
  await expect(dialog.getByRole("button", { name: "Cancel" })).toBeFocused();
  await keyboard.press("Tab");
  await expect(dialog.getByRole("button", { name: "Reset" })).toBeFocused();
  await keyboard.press("Enter");
  await expect(dialog).toBeHidden();
  await expect
    .poll(async () => (await host.call("sessions.get", { key })).sessionId)
    .not.toBe(sessionId);

  await host.call("sessions.send", { key, text: "!sleep 60s" });
  await expect(row("Anna")).toContainText("running");
  await row("Anna").focus();
  await keyboard.press("ControlOrMeta+k");
  await keyboard.insertText("Stop the turn of Anna");
  await expect(palette.getByRole("option", { name: /Stop the turn of Anna/ })).toBeVisible();
  await keyboard.press("Enter");
  await expect(dialog.getByRole("button", { name: "Cancel" })).toBeFocused();
  await keyboard.press("Tab");
  await expect(dialog.getByRole("button", { name: "Stop the turn" })).toBeFocused();
  await keyboard.press("Enter");
  await expect(row("Anna")).toContainText("idle");
});

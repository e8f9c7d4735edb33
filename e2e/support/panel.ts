import type { Locator, Page } from "playwright";
import { expect } from "playwright/test";

/** The screens of the panel, by the names of their links in the rail (ux.md 2). */
export const screens = [
  "Overview",
  "Sessions",
  "Queues",
  "Recovery",
  "Channels",
  "Agents",
  "Settings",
] as const;
export type Screen = (typeof screens)[number];

/** Where things are in the panel, found as a person who cannot see it finds them. */
export function panelOf(page: Page) {
  const region = {
    rail: page.getByRole("navigation", { name: "Rail" }),
    inspector: page.getByRole("complementary", { name: "Inspector" }),
    footer: page.getByRole("contentinfo", { name: "Footer" }),
  };
  const transcript = page.getByRole("log", { name: "Transcript" });
  const sessions = page.getByRole("grid", { name: "Sessions" });
  return {
    ...region,
    transcript,
    sessions,
    newConversation: page
      .getByRole("banner", { name: "Top bar" })
      .getByRole("button", { name: "New conversation" }),
    composer: page.getByRole("textbox", { name: "Message", exact: true }),
    /** The question on screen. Its Cancel has the focus. */
    dialog: page.getByRole("dialog"),
    palette: page.getByRole("dialog", { name: "Go to or do" }),
    /** A session's row in the list, by its title. */
    row: (title: string): Locator => sessions.getByRole("row", { name: title }),
    /** Opens a session beside the list, as Enter does. */
    async open(title: string): Promise<void> {
      await sessions.getByRole("row", { name: title }).press("Enter");
      await expect(region.inspector.getByRole("heading", { name: title })).toBeVisible();
    },
    /** A toast, by what it says. */
    toast: (text: string | RegExp): Locator =>
      page
        .getByRole("region", { name: "Toasts" })
        .getByRole("status")
        .or(page.getByRole("region", { name: "Toasts" }).getByRole("alert"))
        .filter({ hasText: text }),
    async goTo(screen: Screen): Promise<void> {
      await region.rail.getByRole("link", { name: screen }).click();
      await expect(page.getByRole("heading", { level: 1, name: screen })).toBeVisible();
    },
  };
}

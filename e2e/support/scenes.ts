import type { SessionKey } from "../../core/contract/ids.ts";
import type { Page } from "playwright";
import { expect } from "playwright/test";
import type { Host } from "./host.ts";
import { panelOf } from "./panel.ts";
import type { Screen } from "./panel.ts";

/** One thing to look at: a screen, or something that opens over one. */
export interface Scene {
  name: string;
  show(host: Host): Promise<void>;
}

/** Resolves once nothing has come into or gone from the page for a moment: what was loading is there. */
export async function settle(page: Page): Promise<void> {
  await page.evaluate(
    (quietMs) =>
      new Promise<void>((resolve) => {
        const done = () => {
          observer.disconnect();
          resolve();
        };
        let timer = setTimeout(done, quietMs);
        const observer = new MutationObserver(() => {
          clearTimeout(timer);
          timer = setTimeout(done, quietMs);
        });
        // Texts and attributes may tick on; only what is added or taken away counts.
        observer.observe(document.body, { childList: true, subtree: true });
      }),
    400,
  );
}

const screen = (name: Screen): Scene => ({
  name: name.toLowerCase(),
  show: (host) => panelOf(host.page).goTo(name),
});

/** Every screen and every overlay of the panel. */
export const scenes: readonly Scene[] = [
  screen("Overview"),
  screen("Sessions"),
  {
    name: "inspector",
    async show(host) {
      const panel = panelOf(host.page);
      await panel.goTo("Sessions");
      await panel.open("Anna");
      await expect(panel.transcript).toContainText("You said");
    },
  },
  {
    name: "session",
    async show(host) {
      const panel = panelOf(host.page);
      await panel.goTo("Sessions");
      await panel.open("Anna");
      await panel.inspector.getByRole("button", { name: "Open as a full page" }).click();
      await expect(panel.inspector).toBeHidden();
      await expect(panel.transcript).toContainText("You said");
    },
  },
  {
    name: "session-queue",
    async show(host) {
      const panel = panelOf(host.page);
      await panel.goTo("Sessions");
      await panel.open("Chiara");
      await panel.inspector.getByRole("tab", { name: "Queue" }).click();
      await expect(panel.inspector).toContainText("and then this");
    },
  },
  {
    name: "session-flags",
    async show(host) {
      const panel = panelOf(host.page);
      await panel.goTo("Sessions");
      await panel.open("Release");
      await panel.inspector.getByRole("tab", { name: "Flags" }).click();
      await expect(panel.inspector.getByRole("tabpanel")).toContainText("suspended");
    },
  },
  screen("Queues"),
  screen("Recovery"),
  screen("Channels"),
  screen("Agents"),
  screen("Settings"),
  {
    name: "welcome",
    async show(host) {
      await host.page.goto(new URL("/welcome", host.page.url()).href);
      await expect(host.page.getByRole("heading", { level: 1 })).toBeVisible();
    },
  },
  {
    name: "not-found",
    async show(host) {
      await host.page.goto(new URL("/nowhere/at/all", host.page.url()).href);
      await expect(host.page.getByRole("heading", { level: 1 })).toBeVisible();
    },
  },
  {
    name: "palette",
    async show(host) {
      const panel = panelOf(host.page);
      await panel.goTo("Sessions");
      await panel.row("Anna").focus();
      await host.page.keyboard.press("ControlOrMeta+k");
      await expect(panel.palette).toBeVisible();
    },
  },
  {
    name: "shortcuts",
    async show(host) {
      const panel = panelOf(host.page);
      await panel.goTo("Sessions");
      await panel.row("Anna").focus();
      await host.page.keyboard.press("?");
      await expect(panel.dialog).toBeVisible();
    },
  },
  {
    name: "reset-dialog",
    async show(host) {
      const panel = panelOf(host.page);
      await panel.goTo("Sessions");
      await panel.row("Anna").focus();
      await host.page.keyboard.press("r");
      await expect(panel.dialog).toContainText("Reset Anna?");
    },
  },
  {
    name: "notices",
    async show(host) {
      const panel = panelOf(host.page);
      await panel.goTo("Overview");
      await host.page.keyboard.press("ControlOrMeta+.");
      await expect(host.page.getByRole("heading", { name: "Notices" }).first()).toBeVisible();
    },
  },
];

/** Resolves once nothing of a lane waits or runs: whatever was said in it has had its answer, or its end. */
async function answered(host: Host, key: SessionKey): Promise<void> {
  await expect
    .poll(async () => (await host.call("sessions.get", { key })).state)
    .not.toMatch(/^(queued|running)$/);
}

/** People of several platforms, in every state that a session can be brought to from outside. */
export async function populate(host: Host): Promise<void> {
  const post = async (
    name: string,
    platform: string,
    texts: readonly string[],
    chatType = "dm",
  ) => {
    let key: SessionKey | undefined;
    for (const text of texts) {
      const source = {
        platform,
        chat_id: `${platform}-${name}`,
        chat_name: name,
        chat_type: chatType,
        user_id: `user-${name}`,
        user_name: name,
      };
      ({ key } = await host.call("channels.simulate", { source, text }));
      if (text.startsWith("!sleep") || text.startsWith("/queue")) continue;
      await answered(host, key);
    }
    if (key === undefined) throw new Error("nothing was posted");
    return key;
  };
  await post("#ops", "discord", ["!tool deploy 2KB the release is out", "how did it go?"], "group");
  await post("Bruno", "telegram", [
    "!fail the model is not there",
    "are you there?",
    "!fail no answer",
  ]);
  const suspended = await post("Release", "slack", ["shall we ship?", "!stream 120"], "channel");
  await host.call("sessions.suspend", { key: suspended });
  await post("Chiara", "whatsapp", ["!sleep 30m think hard"]);
  await post("Chiara", "whatsapp", ["/queue and then this"]);
  const { key: anna } = await host.call("sessions.create", { title: "Anna" });
  for (const text of [
    "hello",
    "!stream 80",
    "# A heading\n\n- one\n- two\n\n```ts\nconst a = 1;\n```",
  ]) {
    await host.call("sessions.send", { key: anna, text });
    await answered(host, anna);
  }
}

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { asSessionId, asSessionKey } from "../contract/ids.ts";
import { defaultIsolation } from "./isolation.ts";
import {
  buildSessionContext,
  sessionContextSection,
  sessionContextToStored,
} from "./prompt-context.ts";
import { quotedValue } from "./prompt-value.ts";
import { hashChatId, hashSenderId, redactedDescription, redacts } from "./redaction.ts";
import { freshEntry } from "./session-entry.ts";
import { buildSessionKey } from "./session-key.ts";
import { platforms, sessionSource } from "./session-source.ts";

const surroundings = {
  connectedPlatforms: ["local", "telegram", "slack"] as const,
  homeChannels: [
    { platform: "telegram", chatId: "-100777", name: "Ops", threadId: null } as const,
    { platform: "discord", chatId: "9", name: "gone", threadId: null } as const,
  ],
  isolation: defaultIsolation,
};
const plain = { redact: false, loadedTools: new Set<string>() };
const dm = sessionSource({ platform: "telegram", chatId: "12345", userId: "12345", threadId: "7" });

describe("redaction (lifecycle 9.4)", () => {
  test.each([
    ["telegram", true],
    ["whatsapp", true],
    ["signal", true],
    ["bluebubbles", true],
    ["discord", false],
    ["slack", false],
    ["local", false],
  ] as const)("%s: %s", (platform, on) => {
    expect(redacts(true, platform)).toBe(on);
    expect(redacts(false, platform)).toBe(false);
  });

  test("a channel may declare itself safe", () => {
    expect(redacts(true, "sms", new Set(["sms"]))).toBe(true);
  });

  test("names stay, ids are hashed, the thread is left out", () => {
    expect(redactedDescription(dm)).toBe(`DM with ${hashSenderId("12345")}`);
    expect(redactedDescription({ ...dm, userName: "Ann" })).toBe("DM with Ann");
    expect(redactedDescription({ ...dm, chatType: "group" })).toBe(`group: ${hashChatId("12345")}`);
  });

  test("it changes the prompt and nothing else: not the key, not the stored source", () => {
    fc.assert(
      fc.property(
        fc.record({
          platform: fc.constantFrom(...platforms),
          chatType: fc.constantFrom("dm", "group", "channel"),
          chatId: fc.uuid(),
          userId: fc.uuid(),
          threadId: fc.option(fc.uuid()),
        }),
        (fields) => {
          const source = sessionSource(fields);
          const key = buildSessionKey(source, defaultIsolation);
          const context = buildSessionContext(source, surroundings);
          const stored = sessionContextToStored(context);
          const section = sessionContextSection(context, { ...plain, redact: true });
          if (source.platform !== "matrix") {
            expect(section).not.toContain(fields.chatId);
            expect(section).not.toContain(fields.userId);
          }
          expect(sessionContextToStored(context)).toEqual(stored);
          expect(buildSessionKey(source, defaultIsolation)).toBe(key);
          expect(key).toContain(fields.chatId);
        },
      ),
    );
  });
});

describe("the prompt section (lifecycle 9.2)", () => {
  test("its lines come in the documented order", () => {
    const entry = freshEntry(asSessionKey("k"), asSessionId("s"), dm, 0);
    const context = buildSessionContext(
      { ...dm, userName: "Ann", chatTopic: 'a "b"' },
      surroundings,
      entry,
    );
    expect(sessionContextSection(context, plain).split("\n").slice(3)).toEqual([
      '**Source:** Telegram ("DM with Ann, thread: 7")',
      '**Channel Topic:** "a \\"b\\""',
      '**User:** "Ann"',
      "**Connected Platforms:** local (files on this machine), telegram: Connected ✓, slack: Connected ✓",
      "**Home Channels:**",
      '  - telegram: "Ops" (ID: "-100777")',
      "**Delivery options for scheduled tasks:**",
      '  - "origin": back to this chat',
      '  - "local": files on this machine, sent nowhere',
      '  - "telegram": its home channel, "Ops"',
      'An explicit "platform:chat_id" works too.',
    ]);
    expect(sessionContextToStored(context)).toMatchObject({
      session_key: "k",
      session_id: "s",
      created_at: "1970-01-01T00:00:00.000Z",
      shared_multi_user_session: false,
      home_channels: { telegram: { chat_id: "-100777", name: "Ops" } },
    });
  });

  test("it is the same for all speakers of a shared session, and for all their messages", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string(), (name, userId, messageId) => {
        const thread = { ...dm, chatType: "group", chatName: "Ops" };
        const render = (source: typeof dm): string =>
          sessionContextSection(buildSessionContext(source, surroundings), plain);
        expect(render({ ...thread, userName: name, userId, messageId })).toBe(render(thread));
      }),
    );
    const section = sessionContextSection(
      buildSessionContext({ ...dm, chatType: "group" }, surroundings),
      plain,
    );
    expect(section).toContain("**Session type:** Multi-user thread");
  });

  test("a chat's own message names no user; a tool that is not loaded is not promised", () => {
    const channel = sessionSource({
      platform: "slack",
      chatType: "channel",
      chatId: "C1",
      userName: "feed",
    });
    const section = sessionContextSection(buildSessionContext(channel, surroundings), plain);
    expect(section).not.toContain("**User");
    expect(section).toContain("no tool for reading");
    expect(
      sessionContextSection(buildSessionContext(channel, surroundings), {
        ...plain,
        loadedTools: new Set(["slack_search", "web"]),
      }),
    ).toContain("only these tools act on Slack: slack_search.");
  });

  test("a label never leaves its line", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (label) => {
        const quoted = quotedValue(label);
        expect(quoted).not.toContain("\n");
        expect(typeof JSON.parse(quoted)).toBe("string");
      }),
    );
  });
});

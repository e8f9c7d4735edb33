import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  chatIdKey,
  effectiveThread,
  participantId,
  platformFrom,
  sessionSource,
  sessionSourceFromStored,
  sessionSourceToStored,
} from "./session-source.ts";
import { describeSource } from "./description.ts";

describe("construction (lifecycle 1, 1.1)", () => {
  test.each([
    ["neither", {}, null],
    ["the old name alone", { guildId: "G" }, "G"],
    ["both: the scope wins", { scopeId: "S", guildId: "G" }, "S"],
    ["an empty scope is set, and wins", { scopeId: "", guildId: "G" }, ""],
    ["an empty old name is set", { guildId: "" }, ""],
  ])("scope from %s", (_, fields, scopeId) => {
    expect(sessionSource({ platform: "discord", ...fields }).scopeId).toBe(scopeId);
  });

  test("everything but the platform has a default", () => {
    const source = sessionSource({ platform: "telegram" });
    expect(source).toMatchObject({ chatId: "", chatType: "dm", userId: null, isBot: false });
  });
});

describe("reading (lifecycle 1.3)", () => {
  const refused: [string, unknown][] = [
    ["no object", "telegram"],
    ["a list", []],
    ["no platform", { chat_id: "1" }],
    ["an unknown platform", { platform: "pigeon", chat_id: "1" }],
    ["a platform that only the prototype knows", { platform: "constructor", chat_id: "1" }],
    ["no chat id", { platform: "telegram" }],
    ["a null chat id", { platform: "telegram", chat_id: null }],
  ];
  test.each(refused)("%s is refused", (_, stored) => {
    expect(sessionSourceFromStored(stored).ok).toBe(false);
  });

  test.each([
    ["the key decides", { scope_id: null, guild_id: "G" }, null],
    ["only without the key is the old name read", { guild_id: "G" }, "G"],
  ])("scope: %s", (_, fields, scopeId) => {
    const read = sessionSourceFromStored({ platform: "discord", chat_id: "1", ...fields });
    expect(read).toMatchObject({ ok: true, source: { scopeId } });
  });

  test("authority cannot be forged from a file or by a peer", () => {
    const read = sessionSourceFromStored({
      platform: "telegram",
      chat_id: 1,
      is_bot: true,
      role_authorized: true,
      delivered_via_upstream_relay: true,
    });
    expect(read).toMatchObject({
      source: {
        chatId: "1",
        isBot: false,
        roleAuthorized: false,
        deliveredViaUpstreamRelay: false,
      },
    });
  });

  test("never throws, and what was read once is read the same again", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom("telegram", " Slack ", "x"), (any, platform) => {
        sessionSourceFromStored(any);
        const stored = { chat_id: "1", user_name: "U", ...(any as object), platform };
        const read = sessionSourceFromStored(stored);
        if (!read.ok) return;
        const again = sessionSourceFromStored(sessionSourceToStored(read.source));
        expect(again.ok && sessionSourceToStored(again.source)).toEqual(
          sessionSourceToStored(read.source),
        );
      }),
    );
  });
});

describe("who, where, which chat", () => {
  test("the stable second id outranks the plain one (lifecycle 4.4)", () => {
    expect(participantId(sessionSource({ platform: "signal", userId: "u", userIdAlt: "a" }))).toBe(
      "a",
    );
    expect(participantId(sessionSource({ platform: "signal", userId: "u", userIdAlt: "" }))).toBe(
      "u",
    );
  });

  test("a thread that will be opened counts outside of private chats (lifecycle 4.4)", () => {
    const fields = { platform: "discord", prospectiveThreadId: "p" } as const;
    expect(effectiveThread(sessionSource({ ...fields, chatType: "channel" }))).toBe("p");
    expect(effectiveThread(sessionSource({ ...fields, chatType: "channel", threadId: "t" }))).toBe(
      "t",
    );
    expect(effectiveThread(sessionSource(fields))).toBeNull();
  });

  test.each([
    [123, "123"],
    [" 123 ", "123"],
    ["-100123", "-100123"],
    ["007", "7"],
    ["90071992547409931", "90071992547409931"],
    [" @name ", "@name"],
    ["", ""],
  ])("one spelling for %j (lifecycle 4.6)", (value, key) => {
    expect(chatIdKey(value)).toBe(key);
  });

  test("platform names are trimmed and folded, text only", () => {
    expect(platformFrom(" Telegram ")).toBe("telegram");
    expect(platformFrom(42)).toBeNull();
  });

  test("a description never decides anything, but it reads well (lifecycle 1.4)", () => {
    const topic = sessionSource({
      platform: "telegram",
      chatType: "group",
      chatName: "Ops",
      threadId: "7",
    });
    expect(describeSource(topic)).toBe("group: Ops, thread: 7");
    expect(describeSource({ ...topic, platform: "local" })).toBe("CLI terminal");
  });
});

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { defaultRules } from "../testing/samples.ts";
import { isSharedMultiUser } from "./isolation.ts";
import { buildSessionKey, explainKey } from "./session-key.ts";
import type { KeyRules } from "./session-key.ts";
import { platforms, sessionSource } from "./session-source.ts";
import type { SourceFields } from "./session-source.ts";

const rule = (fields: SourceFields, rules: Partial<KeyRules> = {}) => {
  const { rule: name, segments } = explainKey(sessionSource(fields), { ...defaultRules, ...rules });
  return [name, segments.map((segment) => segment.name).join(" ")];
};

describe("a key explained (lifecycle 4)", () => {
  test.each<[SourceFields, Partial<KeyRules>, string, string]>([
    [{ platform: "telegram", chatId: "1" }, {}, "private_chat", "namespace platform type chat"],
    [
      { platform: "signal", userId: "u", userIdAlt: "a", threadId: "t" },
      {},
      "private_person",
      "namespace platform type person thread",
    ],
    [{ platform: "signal" }, {}, "private_shared", "namespace platform type"],
    [
      { platform: "telegram", chatType: "group", chatId: "-1", userId: "u" },
      {},
      "group_per_person",
      "namespace platform type chat person",
    ],
    [
      { platform: "telegram", chatType: "group", chatId: "-1", userId: "u" },
      { groupSessionsPerUser: false },
      "group_shared",
      "namespace platform type chat",
    ],
    [
      { platform: "telegram", chatType: "group", chatId: "-1" },
      {},
      "group_shared",
      "namespace platform type chat",
    ],
    [
      {
        platform: "slack",
        chatType: "channel",
        chatId: "C",
        scopeId: "T",
        threadId: "1",
        userId: "u",
      },
      {},
      "thread_shared",
      "namespace platform type scope chat thread",
    ],
    [
      { platform: "discord", chatType: "group", chatId: "C", threadId: "1", userId: "u" },
      { threadSessionsPerUser: true },
      "thread_per_person",
      "namespace platform type chat thread person",
    ],
  ])("%o, %o", (fields, rules, name, segments) => {
    expect(rule(fields, rules)).toEqual([name, segments]);
  });

  const id = fc.option(fc.string({ maxLength: 6 }), { nil: null });
  const source = fc.record({
    platform: fc.constantFrom(...platforms),
    chatId: id,
    chatType: fc.constantFrom("dm", "group", "channel", "thread", "other", ""),
    userId: id,
    userIdAlt: id,
    threadId: id,
    scopeId: id,
    prospectiveThreadId: id,
  });
  const rules = fc.record({
    groupSessionsPerUser: fc.boolean(),
    threadSessionsPerUser: fc.boolean(),
    profile: fc.constantFrom(null, "coder", "main"),
  });

  test("the parts joined are the key, whatever the ids", () => {
    fc.assert(
      fc.property(source, rules, (fields, given) => {
        const where = sessionSource(fields);
        const explained = explainKey(where, given);
        expect(explained.key).toBe(buildSessionKey(where, given));
        expect(explained.segments.map((segment) => segment.value).join(":")).toBe(explained.key);
      }),
    );
  });
});

describe("the rules of one chat (lifecycle 5)", () => {
  const shared = { groupSessionsPerUser: false };
  const given: KeyRules = {
    ...defaultRules,
    ofChat: (chat) => (chat === "telegram:-1" ? shared : undefined),
  };
  const group = (chatId: string, part: Partial<SourceFields> = {}) =>
    sessionSource({ platform: "telegram", chatType: "group", chatId, userId: "u", ...part });

  test("hold for it alone, for its key and for its prompt", () => {
    expect(buildSessionKey(group("-1"), given)).toBe("agent:main:telegram:group:-1");
    expect(buildSessionKey(group("-2"), given)).toBe("agent:main:telegram:group:-2:u");
    expect(isSharedMultiUser(group("-1"), given)).toBe(true);
    expect(isSharedMultiUser(group("-2"), given)).toBe(false);
  });

  test("a thread that is a chat of its own follows its parent", () => {
    expect(buildSessionKey(group("-9", { parentChatId: "-1" }), given)).toBe(
      "agent:main:telegram:group:-9",
    );
  });

  test("never for private chats", () => {
    const dm = sessionSource({ platform: "telegram", chatId: "-1", userId: "u" });
    expect(buildSessionKey(dm, given)).toBe(buildSessionKey(dm, defaultRules));
  });
});

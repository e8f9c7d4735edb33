import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { defaultIsolation } from "./isolation.ts";
import { buildSessionKey, isAnonymousDm, legacySessionKeys } from "./session-key.ts";
import type { KeyRules } from "./session-key.ts";
import { platforms, sessionSource } from "./session-source.ts";
import type { SourceFields } from "./session-source.ts";

const key = (fields: SourceFields, rules: Partial<KeyRules> = {}): string =>
  buildSessionKey(sessionSource(fields), { ...defaultIsolation, ...rules });

const learned = (name: string): string | null =>
  name === "lid-mapping-999999999999999_reverse.json" ? '"15551234567"' : null;

describe("examples (lifecycle 4.7)", () => {
  const telegramGroup: SourceFields = {
    platform: "telegram",
    chatType: "group",
    chatId: "-10012345",
    userId: "abc",
  };
  const discordThread: SourceFields = {
    platform: "discord",
    chatType: "group",
    chatId: "12345",
    threadId: "678",
    userId: "abc",
  };
  test.each<[string, SourceFields, Partial<KeyRules>, string]>([
    ["dm", { platform: "telegram", chatId: "12345" }, {}, "agent:main:telegram:dm:12345"],
    [
      "dm without chat",
      { platform: "signal", userId: "u", userIdAlt: "a" },
      {},
      "agent:main:signal:dm:a",
    ],
    ["dm without ids", { platform: "telegram" }, {}, "agent:main:telegram:dm"],
    ["group", telegramGroup, {}, "agent:main:telegram:group:-10012345:abc"],
    [
      "shared group",
      telegramGroup,
      { groupSessionsPerUser: false },
      "agent:main:telegram:group:-10012345",
    ],
    ["thread", discordThread, {}, "agent:main:discord:group:12345:678"],
    [
      "private thread",
      discordThread,
      { threadSessionsPerUser: true },
      "agent:main:discord:group:12345:678:abc",
    ],
    [
      "threads never isolate what groups share",
      discordThread,
      { groupSessionsPerUser: false, threadSessionsPerUser: true },
      "agent:main:discord:group:12345:678",
    ],
    [
      "Slack names its workspace",
      { platform: "slack", chatType: "channel", chatId: "C1", scopeId: "T9", userId: "U1" },
      {},
      "agent:main:slack:channel:T9:C1:U1",
    ],
    [
      "Discord does not",
      { platform: "discord", chatType: "channel", chatId: "C1", guildId: "G9", userId: "U1" },
      {},
      "agent:main:discord:channel:C1:U1",
    ],
    [
      "a thread that will be opened",
      {
        platform: "discord",
        chatType: "channel",
        chatId: "C1",
        userId: "U1",
        prospectiveThreadId: "9",
      },
      {},
      "agent:main:discord:thread:C1:9",
    ],
    [
      "WhatsApp dm by linked id",
      { platform: "whatsapp", chatId: "999999999999999@lid" },
      { readMapping: learned },
      "agent:main:whatsapp:dm:15551234567",
    ],
    [
      "WhatsApp group: the chat raw, the member canonical",
      {
        platform: "whatsapp",
        chatType: "group",
        chatId: "120363@g.us",
        userId: "999999999999999:1@lid",
      },
      { readMapping: learned },
      "agent:main:whatsapp:group:120363@g.us:15551234567",
    ],
    [
      "a member id without a bare form stays apart",
      { platform: "whatsapp", chatType: "group", chatId: "1@g.us", userId: "@lid" },
      {},
      "agent:main:whatsapp:group:1@g.us:@lid",
    ],
  ])("%s", (_, fields, rules, expected) => {
    expect(key(fields, rules)).toBe(expected);
  });

  test.each([
    [null, "agent:main"],
    ["", "agent:main"],
    ["default", "agent:main"],
    ["coder", "agent:coder"],
    ["main", "agent:main~"],
  ])("profile %j (lifecycle 4.2)", (profile, namespace) => {
    expect(key({ platform: "matrix", chatId: "!r:s" }, { profile })).toBe(
      `${namespace}:matrix:dm:!r:s`,
    );
  });
});

const id = fc.option(fc.string({ maxLength: 6 }));
const place = fc.record({
  platform: fc.constantFrom(...platforms),
  chatType: fc.constantFrom("dm", "group", "channel", "thread", "forum", ""),
  chatId: id,
  userId: id,
  userIdAlt: id,
  threadId: id,
  scopeId: id,
  prospectiveThreadId: id,
});
const rulesOf = fc.record({
  groupSessionsPerUser: fc.boolean(),
  threadSessionsPerUser: fc.boolean(),
});

describe("whatever the ids are", () => {
  test("chat, thread and person alone make the key", () => {
    fc.assert(
      fc.property(place, rulesOf, id, fc.boolean(), (fields, rules, label, flag) => {
        const other = {
          ...fields,
          chatName: label,
          userName: label,
          chatTopic: label,
          messageId: label,
          parentChatId: label,
          profile: label,
          isBot: flag,
          roleAuthorized: flag,
        };
        expect(key(other, rules)).toBe(key(fields, rules));
      }),
    );
  });

  test("null, empty and missing ids are the same lane (lifecycle 0)", () => {
    fc.assert(
      fc.property(place, rulesOf, (fields, rules) => {
        const emptied = Object.fromEntries(
          Object.entries(fields).map(([name, value]) => [name, value ?? ""]),
        ) as unknown as SourceFields;
        expect(key(emptied, rules)).toBe(key(fields, rules));
      }),
    );
  });

  test("people of an isolated group never meet; settings never touch a private chat", () => {
    fc.assert(
      fc.property(
        place,
        rulesOf,
        fc.uniqueArray(fc.uuid(), { minLength: 2, maxLength: 2 }),
        (fields, rules, people) => {
          const [one, two] = people.map(
            (person) => ({ ...fields, platform: "telegram", userIdAlt: person }) as const,
          );
          if (one === undefined || two === undefined) return;
          if (fields.chatType === "dm") expect(key(one, rules)).toBe(key(one));
          else if (!fields.threadId && !fields.prospectiveThreadId)
            expect(key(one, rules) === key(two, rules)).toBe(!rules.groupSessionsPerUser);
        },
      ),
    );
  });
});

describe("lanes with a past", () => {
  test("a dm that nothing tells apart is known as such (lifecycle 4.3)", () => {
    expect(isAnonymousDm(sessionSource({ platform: "sms" }), defaultIsolation)).toBe(true);
    expect(isAnonymousDm(sessionSource({ platform: "sms", userId: "1" }), defaultIsolation)).toBe(
      false,
    );
    expect(
      isAnonymousDm(sessionSource({ platform: "sms", chatType: "group" }), defaultIsolation),
    ).toBe(false);
  });

  test("older WhatsApp spellings are looked for, the canonical one is not among them (lifecycle 4.7)", () => {
    const source = sessionSource({ platform: "whatsapp", chatId: "15551234567:3@s.whatsapp.net" });
    const keys = legacySessionKeys(source, defaultIsolation);
    expect(keys).toContain("agent:main:whatsapp:dm:15551234567@c.us");
    expect(keys).toContain("agent:main:whatsapp:dm:15551234567@s.whatsapp.net");
    expect(keys).not.toContain(buildSessionKey(source, defaultIsolation));
    expect(legacySessionKeys({ ...source, platform: "telegram" }, defaultIsolation)).toEqual([]);
  });
});

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  assembleUserText,
  defaultIsolation,
  inertName,
  isFromChatItself,
  isSharedMultiUser,
  isolationWarning,
  prefixSender,
} from "./isolation.ts";
import { sessionSource } from "./session-source.ts";

const group = sessionSource({
  platform: "telegram",
  chatType: "group",
  chatId: "1",
  userName: "Ann",
});

describe("who shares a session (lifecycle 5)", () => {
  const thread = { ...group, threadId: "7" };
  test.each([
    ["dm", { ...group, chatType: "dm" }, false, false, false],
    ["group by default", group, true, false, false],
    ["group, shared", group, false, false, true],
    ["thread by default", thread, true, false, true],
    ["thread, each for himself", thread, true, true, false],
    ["a thread that will be opened", { ...group, prospectiveThreadId: "9" }, true, false, true],
  ])("%s", (_, source, groupSessionsPerUser, threadSessionsPerUser, shared) => {
    expect(isSharedMultiUser(source, { groupSessionsPerUser, threadSessionsPerUser })).toBe(shared);
  });

  test("only rules that disagree are warned about", () => {
    expect(isolationWarning(defaultIsolation)).toBeNull();
    expect(
      isolationWarning({ groupSessionsPerUser: false, threadSessionsPerUser: false }),
    ).toBeNull();
    expect(isolationWarning({ groupSessionsPerUser: false, threadSessionsPerUser: true })).toMatch(
      "threads stay shared",
    );
  });

  test("a message that nobody signed comes from the chat", () => {
    expect(isFromChatItself(group)).toBe(true);
    expect(isFromChatItself({ ...group, userId: "u" })).toBe(false);
    expect(isFromChatItself({ ...group, chatType: "dm" })).toBe(false);
  });
});

describe("sender names (lifecycle 5)", () => {
  test.each([
    ["a\r\nb", "a b"],
    ["  a \t\u0000 b\u009f ", "a b"],
    ["\n", ""],
    ["x".repeat(240), "x".repeat(240)],
    ["🦊".repeat(241), `${"🦊".repeat(237)}...`],
  ])("%j is made inert", (name, inert) => {
    expect(inertName(name)).toBe(inert);
  });

  test("no name can break out of its line", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 600 }), (name) => {
        const inert = inertName(name);
        expect(inert).not.toMatch(/\p{Cc}/u);
        expect(Array.from(inert).length).toBeLessThanOrEqual(240);
      }),
    );
  });

  test("a prefix only where several may speak, and only with a name", () => {
    expect(prefixSender("hi", group, true)).toBe("[Ann] hi");
    expect(prefixSender("hi", group, false)).toBe("hi");
    expect(prefixSender("hi", { ...group, userName: " " }, true)).toBe("hi");
    expect(prefixSender("hi", { ...group, platform: "slack", userId: "U1" }, true)).toBe(
      "[Ann | Slack user <@U1>] hi",
    );
  });

  test("history goes in front of the prefixed trigger", () => {
    expect(assembleUserText("hi", group, true, "Bob: earlier")).toBe(
      "Bob: earlier\n\n[New message]\n[Ann] hi",
    );
    expect(assembleUserText("hi", group, true, "")).toBe("[Ann] hi");
  });
});

import { describe, expect, test } from "vitest";
import { asSessionId, asSessionKey } from "../contract/ids.ts";
import { defaultRules } from "../testing/samples.ts";
import type { PastSession } from "./lineage-store.ts";
import { sessionSource, sessionSourceToStored } from "./session-source.ts";
import type { SessionSource } from "./session-source.ts";
import { mayTakeUp } from "./visibility.ts";

const dm = (user: string, chat = user): SessionSource =>
  sessionSource({ platform: "telegram", chatId: chat, chatType: "dm", userId: user });
const group = (user: string | null, chat = "-1", thread: string | null = null): SessionSource =>
  sessionSource({
    platform: "telegram",
    chatId: chat,
    chatType: "group",
    userId: user,
    threadId: thread,
  });

const said = (origin: SessionSource, key = "elsewhere"): PastSession => ({
  id: asSessionId("past"),
  sessionKey: asSessionKey(key),
  source: origin.platform,
  userId: origin.userIdAlt ?? origin.userId,
  chatId: origin.chatId,
  chatType: origin.chatType,
  threadId: origin.threadId,
  originJson: JSON.stringify(sessionSourceToStored(origin)),
  title: "Past",
  startedAt: 0,
  endedAt: null,
  endReason: null,
  messageCount: 2,
  lastAt: 0,
});
const by = (source: SessionSource, isAdministrator = false) => ({
  key: asSessionKey("here"),
  source,
  isAdministrator,
});

describe("who may take up what (lifecycle 18)", () => {
  test.each<[string, PastSession, SessionSource, boolean]>([
    ["what was said in this lane, by whomever", said(group("8"), "here"), group("7"), true],
    ["one's own from another private chat", said(dm("7")), dm("7", "other"), true],
    ["another person's private chat", said(dm("8")), dm("7"), false],
    ["one's own in a group, from a private chat", said(group("7")), dm("7"), true],
    ["another's in a group", said(group("8")), dm("7"), false],
    ["one's own private chat, from a group", said(dm("7")), group("7"), false],
    ["one's own in this group, from this group", said(group("7")), group("7"), true],
    ["one's own in another group, from a group", said(group("7", "-2")), group("7"), false],
    ["a thread that several spoke in", said(group("7", "-1", "t")), dm("7"), false],
    ["a chat whose speaker is not known", said(dm("")), dm(""), false],
    ["an origin that is not known", { ...said(dm("7")), originJson: null }, dm("7"), false],
    ["the same id on another platform", said({ ...dm("7"), platform: "signal" }), dm("7"), false],
  ])("%s", (_name, past, source, may) => {
    expect(mayTakeUp(past, by(source), defaultRules)).toBe(may);
    expect(mayTakeUp(past, by(source, true), defaultRules)).toBe(true);
  });

  test("a group that is shared by its settings belongs to nobody alone", () => {
    const rules = { ...defaultRules, groupSessionsPerUser: false };
    expect(mayTakeUp(said(group("7")), by(dm("7")), rules)).toBe(false);
  });
});

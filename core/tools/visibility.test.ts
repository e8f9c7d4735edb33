import { describe, expect, test } from "vitest";
import { openStores } from "../compose/stores.ts";
import { asSessionKey } from "../contract/ids.ts";
import { dmSource } from "../testing/samples.ts";
import { testDatabase } from "../testing/test-database.ts";
import { toolsOn } from "./testing/clients-on.ts";
import { decideVisibility } from "./visibility.ts";
import type { Visibility, VisibilityRules } from "./visibility.ts";

const rules = (visibility: Visibility, allow: string[] = [], enabled = true): VisibilityRules => ({
  visibility,
  agentToAgent: { enabled, allow },
});
const main = "agent:main:main";
const chat = "agent:main:telegram:dm:7";
const foreign = "agent:ops:main";

describe("who sees whom (state-awareness 10.5)", () => {
  test.each([
    ["oneself, always", chat, chat, false, rules("self"), null],
    ["self: no other", chat, main, false, rules("self"), "self_visibility_restricted"],
    ["self: not even a child", chat, main, true, rules("self"), "self_visibility_restricted"],
    ["tree: a child", chat, "agent:main:subagent:x", true, rules("tree"), null],
    ["tree: a child of another agent", chat, foreign, true, rules("tree"), null],
    ["tree: no stranger", chat, main, false, rules("tree"), "tree_visibility_restricted"],
    ["tree, from a main session: all of its agent", main, chat, false, rules("tree"), null],
    [
      "tree, from a main session: not of another",
      main,
      foreign,
      false,
      rules("tree"),
      "tree_visibility_restricted",
    ],
    ["agent: of the same", chat, main, false, rules("agent"), null],
    [
      "agent: of another",
      chat,
      foreign,
      false,
      rules("agent"),
      "cross_agent_visibility_restricted",
    ],
    ["all: of another", chat, foreign, false, rules("all"), null],
    [
      "all, but not across agents",
      chat,
      foreign,
      false,
      rules("all", [], false),
      "agent_to_agent_disabled",
    ],
    ["all, some agents: named", chat, foreign, false, rules("all", ["main", "op*"]), null],
    [
      "all, some agents: one is not named",
      chat,
      foreign,
      false,
      rules("all", ["main"]),
      "agent_to_agent_not_allowed",
    ],
  ])("%s", (_what, requester, target, descends, given, denial) => {
    expect(decideVisibility(requester, target, descends, given)).toBe(denial);
  });
});

test.each(["self", "tree", "agent"] as const)(
  "under %s a session that may not be seen and one that is not there read the same",
  async (visibility) => {
    const db = testDatabase();
    const stores = openStores(db);
    for (const key of [chat, foreign, "agent:ops:telegram:dm:9"])
      db.writeNow(() =>
        stores.directory.ensureLane(
          { key: asSessionKey(key), identity: null, channelId: "test", source: dmSource(key) },
          1,
        ),
      );
    const box = toolsOn(db, stores, () => rules(visibility));
    const requester = { key: chat, isClient: true, chain: () => ({ id: "c", hops: 0 }) };
    const ask = async (tool: string, sessionKey: string): Promise<string> => {
      const { text, failed } = await box.call(
        requester,
        tool,
        { sessionKey, message: "hello" },
        new AbortController().signal,
      );
      expect(failed).toBe(true);
      return text;
    };
    for (const tool of ["session_status", "sessions_history", "sessions_send", "goal_clear"])
      expect(await ask(tool, foreign)).toBe(await ask(tool, "agent:ops:telegram:dm:none"));
    const listed = await box.call(requester, "sessions_list", {}, new AbortController().signal);
    expect(listed.result).toMatchObject({
      count: 1,
      visibility: { mode: visibility, restricted: true },
    });
  },
);

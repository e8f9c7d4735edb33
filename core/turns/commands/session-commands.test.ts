import { describe, expect, test } from "vitest";
import { groupChat, lifecycleGateway, privateChat } from "../../testing/lifecycle-gateway.ts";
import type { Stored } from "../../testing/lifecycle-gateway.ts";

type Gateway = Awaited<ReturnType<typeof lifecycleGateway>>;

async function session(g: Gateway, title: string, source: Stored = privateChat()) {
  const { key } = await g.say(`about ${title}`, source);
  await g.idle(key);
  await g.say(`/title ${title}`, source);
  return { key, id: (await g.detail(key)).sessionId };
}

describe("/resume (lifecycle 18)", () => {
  test("a numbered list of titled sessions, and back by number, id and title", async () => {
    const g = await lifecycleGateway();
    const one = await session(g, "One");
    await g.say("/new");
    const two = await session(g, "Two");
    await g.say("/new");
    await g.idle((await g.say("untitled")).key);
    const { reply } = await g.say("/resume");
    expect(
      reply
        ?.split("\n")
        .slice(1, -1)
        .map((line) => line.slice(0, 6)),
    ).toEqual(["1. Two", "2. One"]);
    expect((await g.say("/resume 2")).reply).toBe("Back in “One”: 2 messages.");
    expect(await g.said(one.key)).toEqual(["about One", "You said: about One"]);
    expect((await g.say("/resume one")).reply).toBe("You are in “One” already.");
    expect((await g.say(`/resume ${two.id}`)).reply).toBe("Back in “Two”: 2 messages.");
    await g.idle((await g.say("more")).key);
    expect(await g.said(two.key)).toEqual([
      "about Two",
      "You said: about Two",
      "more",
      "You said: more",
    ]);
    expect((await g.say("/resume Three")).reply).toBe(
      "There is no session “Three” for you to go back to.",
    );
  });

  test("a number means what was shown, also after a restart", async () => {
    const g = await lifecycleGateway();
    await session(g, "One");
    await g.say("/new");
    await session(g, "Two");
    await g.say("/resume");
    await session(g, "Later", privateChat("7", { chat_id: "other chat" }));
    await g.restart();
    expect((await g.say("/resume 2")).reply).toBe("Back in “One”: 2 messages.");
  });

  test("only what the caller said alone, or what was said in this chat", async () => {
    const g = await lifecycleGateway();
    await session(g, "Mine");
    await session(g, "Of another", privateChat("8"));
    await session(g, "Mine in the group", groupChat("7"));
    await session(g, "Of another in the group", groupChat("8"));
    const titles = (text: string | null): string[] =>
      [...(text ?? "").matchAll(/^\d+\. (.*?)(?: \(here\))?: /gmu)].map((match) => match[1] ?? "");
    expect(titles((await g.say("/resume")).reply).toSorted()).toEqual([
      "Mine",
      "Mine in the group",
    ]);
    // Nobody in the group reads the title of a private conversation.
    expect(titles((await g.say("/resume", groupChat("7"))).reply)).toEqual(["Mine in the group"]);
    for (const target of ["Of another", "of another in the group"])
      expect((await g.say(`/resume ${target}`)).reply).toContain("There is no session");
    expect((await g.say("/sessions all")).reply).toBe(
      "Only the operator can list everybody's sessions.",
    );
  });

  test("what was said together belongs to the chat, to nobody alone", async () => {
    const g = await lifecycleGateway();
    await g.call("config.set", { path: "group_sessions_per_user", value: false });
    await session(g, "Together", groupChat("7"));
    await g.say("/new", groupChat("8"));
    expect((await g.say("/resume Together")).reply).toContain("There is no session");
    expect((await g.say("/resume Together", groupChat("8"))).reply).toBe(
      "Back in “Together”: 2 messages.",
    );
  });

  test("from another chat: both lanes are in the session, one turn at a time", async () => {
    const g = await lifecycleGateway();
    const one = await session(g, "One");
    const second = privateChat("7", { chat_id: "second", user_id: "7" });
    await g.idle((await g.say("hello", second)).key);
    expect((await g.say("/resume One", second)).reply).toBe("Back in “One”: 2 messages.");
    const { sharing } = await g.call("sessions.explain", { key: one.key });
    expect(sharing.otherLanes).toEqual(["agent:main:telegram:dm:second"]);
    await g.say("!sleep 60s slow");
    await g.running(one.key);
    expect((await g.say("/undo", second)).reply).toContain(
      "busy: a turn runs in it from another chat",
    );
    const other = await g.say("meanwhile", second);
    g.clock.advance(60_000);
    await g.idle(one.key);
    await g.idle(other.key);
    // Not one row of the one inside the other's turn.
    expect(await g.said(one.key)).toEqual([
      "about One",
      "You said: about One",
      "!sleep 60s slow",
      "You said: slow",
      "meanwhile",
      "You said: meanwhile",
    ]);
    expect(await g.said(other.key)).toEqual(await g.said(one.key));
  });

  test("who waits half an hour for the other chat is asked to send again", async () => {
    const g = await lifecycleGateway();
    const one = await session(g, "One");
    await g.call("config.set", { path: "agent.gateway_timeout", value: 0 });
    const second = privateChat("7", { chat_id: "second" });
    await g.idle((await g.say("hello", second)).key);
    await g.say("/resume One", second);
    await g.say("!sleep 59m slow");
    await g.running(one.key);
    const { key } = await g.say("meanwhile", second);
    g.clock.advance(1_800_000);
    const refused = await g.idle(key);
    expect(refused.turn).toBeNull();
    expect((await g.rows(key)).at(-1)?.text).toContain("Please send your message again");
    expect((await g.detail(one.key)).turn).not.toBeNull();
  });

  test("/new in one chat leaves the other in the session", async () => {
    const g = await lifecycleGateway();
    const one = await session(g, "One");
    const second = privateChat("7", { chat_id: "second" });
    await g.idle((await g.say("hello", second)).key);
    await g.say("/resume One", second);
    await g.say("/new", second);
    await g.idle((await g.say("still here")).key);
    expect((await g.detail(one.key)).sessionId).toBe(one.id);
    expect(await g.said(one.key)).toHaveLength(4);
  });
});

describe("/sessions", () => {
  test("own ones, with and without a title; by words; into one", async () => {
    const g = await lifecycleGateway();
    const one = await session(g, "One");
    await g.say("/new");
    await g.idle((await g.say("a needle in the hay")).key);
    expect((await g.say("/sessions")).reply?.split("\n")).toHaveLength(4);
    expect((await g.say("/sessions search NEEDLE")).reply).toContain(
      "Sessions that mention “NEEDLE”",
    );
    expect((await g.say("/sessions search thread")).reply).toBe(
      "No session of yours mentions “thread”.",
    );
    expect((await g.say("/sessions One")).reply).toBe("Back in “One”: 2 messages.");
    expect((await g.detail(one.key)).sessionId).toBe(one.id);
  });

  test("the operator sees and takes up everybody's", async () => {
    const g = await lifecycleGateway();
    const foreign = await session(g, "Foreign", privateChat("8"));
    const { key } = await g.call("sessions.create", {});
    const list = await g.call("sessions.send", { key, text: "/sessions all" });
    expect(list.reply).toContain("Foreign");
    const resumable = await g.call("sessions.resumable", { key, query: "foreign" });
    expect(resumable.sessions.map((past) => past.sessionId)).toEqual([foreign.id]);
    expect(await g.call("sessions.resume", { key, target: "Foreign" })).toMatchObject({
      changed: true,
      sessionId: foreign.id,
      messageCount: 2,
    });
    await expect(g.call("sessions.resume", { key, target: "nowhere" })).rejects.toMatchObject({
      code: "E_NOT_FOUND",
    });
  });
});

/** Killed outright at any moment: the database opens again, and what was confirmed is in a transcript, once. */
import { randomInt } from "node:crypto";
import type { SessionKey } from "../core/contract/ids.ts";
import { expect, test } from "./support/host.ts";
import type { Host } from "./support/host.ts";

/** What the gateway confirmed, by lane: the marks of the messages that it said it had accepted. */
type Confirmed = Map<SessionKey, string[]>;

/**
 * Sends messages to every lane, each with a mark of its own, until the gateway is gone or so many are confirmed
 * in each.
 */
function pour(
  host: Host,
  lanes: readonly SessionKey[],
  textOf: (mark: string) => string,
  eachAtMost = Infinity,
) {
  const confirmed: Confirmed = new Map(lanes.map((key) => [key, []]));
  const waiting: { at: number; done: () => void }[] = [];
  let total = 0;
  const pourInto = async (key: SessionKey) => {
    const marks = confirmed.get(key) ?? [];
    while (marks.length < eachAtMost) {
      const mark = `mark-${randomInt(2 ** 47).toString(36)}.`;
      let accepted: boolean;
      try {
        accepted = (await host.call("sessions.send", { key, text: textOf(mark) })).accepted;
      } catch (error) {
        if (String(error).includes("E_QUEUE_FULL")) continue; // refused: nobody was promised anything
        return; // killed
      }
      if (!accepted) continue;
      marks.push(mark);
      total++;
      for (const { at, done } of waiting) if (total >= at) done();
    }
  };
  return {
    confirmed,
    /** Resolves once so many messages were confirmed, in all lanes together. */
    reached: (at: number) =>
      new Promise<void>((done) => {
        if (total >= at) done();
        else waiting.push({ at, done });
      }),
    /** Resolves once the last sender has sent all it may, or found the gateway gone. */
    ended: Promise.all(lanes.map(pourInto)),
  };
}

async function newLanes(host: Host, count: number): Promise<SessionKey[]> {
  const made = Array.from({ length: count }, (_, i) =>
    host.call("sessions.create", { title: `Lane ${i + 1}` }),
  );
  return (await Promise.all(made)).map(({ key }) => key);
}

/** All of a lane, every incarnation's page after page. */
async function userTexts(host: Host, key: SessionKey): Promise<string[]> {
  const texts: string[] = [];
  let before: number | undefined;
  for (;;) {
    const page = await host.call("sessions.history", {
      key,
      limit: 500,
      ...(before === undefined ? {} : { before }),
    });
    texts.unshift(...page.messages.filter(({ role }) => role === "user").map(({ text }) => text));
    before = page.messages[0]?.id;
    if (!page.hasMore || before === undefined) return texts;
  }
}

/** Waits until nothing runs or waits. */
async function settled(host: Host): Promise<void> {
  await expect
    .poll(
      async () => {
        const { counts } = await host.call("gateway.status", {});
        return { running: counts.running, queued: counts.queued };
      },
      { timeout: 30_000 },
    )
    .toEqual({ running: 0, queued: 0 });
}

/** Every confirmed mark stands in its lane exactly once, and nothing else of the lane was lost before it. */
async function expectKept(host: Host, confirmed: Confirmed): Promise<void> {
  for (const [key, marks] of confirmed) {
    const all = (await userTexts(host, key)).join("\n");
    const found = marks.map((mark) => [mark, all.split(mark).length - 1] as const);
    expect(
      found.filter(([, times]) => times !== 1),
      `of ${marks.length} confirmed messages in ${key}, by how often they are there`,
    ).toEqual([]);
  }
}

const rounds = { headless: 6, desktop: 3 };

test("while messages are accepted: none that was confirmed is gone", async ({ host }, testInfo) => {
  test.setTimeout(180_000); // many starts
  // So many kills in a row are a crash loop, and would be held back as one; that is the crash test's subject.
  await host.call("config.set", { path: "gateway.restart_loop_guard.max_restarts", value: 0 });
  const lanes = await newLanes(host, 4);
  for (let round = 0; round < rounds[host.kind]; round++) {
    const after = randomInt(1, 120);
    testInfo.annotations.push({ type: "killed after", description: `${after} messages` });
    const { confirmed, reached, ended } = pour(host, lanes, (mark) => `${mark} hello`);
    await reached(after);
    await host.kill();
    await ended;
    await host.start();
    expect((await host.call("gateway.status", {})).previousExit).toBe("unclean");
    await settled(host);
    await expectKept(host, confirmed);
  }
});

test("in the middle of turns that stream: their messages are kept, and those behind them", async ({
  host,
}) => {
  const lanes = await newLanes(host, 3);
  const { confirmed, ended } = pour(host, lanes, (mark) => `!stream 1000 ${mark}`, 4);
  await ended;
  await host.call("sessions.send", { key: lanes[0] ?? fail(), text: "/queue later." });
  await expect
    .poll(async () => {
      const details = await Promise.all(lanes.map((key) => host.call("sessions.get", { key })));
      return details.some(({ turn }) => turn !== null && turn.text.length > 0);
    })
    .toBe(true);
  await host.kill();
  await host.start();
  await settled(host);
  confirmed.get(lanes[0] ?? fail())?.push("later.");
  await expectKept(host, confirmed);
});

test("in the middle of a long turn: its message is kept and the lane serves the next one", async ({
  host,
}) => {
  const [key = fail()] = await newLanes(host, 1);
  await host.call("sessions.send", { key, text: "!sleep 3s first." });
  await expect
    .poll(async () => (await host.call("sessions.get", { key })).turn !== null)
    .toBe(true);
  await host.kill();
  await host.start();
  await host.call("sessions.send", { key, text: "second." });
  await settled(host);
  expect(await userTexts(host, key)).toEqual(["!sleep 3s first.", "second."]);
  const { messages } = await host.call("sessions.history", { key });
  expect(messages.at(-1)).toMatchObject({ role: "assistant", text: "You said: second." });
});

test("while it drains: what was confirmed before is kept", async ({ host }) => {
  const [lane = fail(), idle = fail()] = await newLanes(host, 2);
  await host.call("sessions.send", { key: lane, text: "!sleep 3s long." });
  await host.call("sessions.send", { key: lane, text: "/queue behind it." });
  await host.call("sessions.send", { key: idle, text: "elsewhere." });
  host.running.child.process.kill("SIGTERM");
  await host.kill();
  await host.start();
  await settled(host);
  await expectKept(
    host,
    new Map([
      [lane, ["long.", "behind it."]],
      [idle, ["elsewhere."]],
    ]),
  );
});

function fail(): never {
  throw new Error("a lane that was made is not there");
}

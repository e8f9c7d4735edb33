import {
  cpSync,
  existsSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { asSessionKey } from "../contract/ids.ts";
import { tempDir } from "../testing/temp-dir.ts";
import { testGateway } from "../testing/test-gateway.ts";
import type { TestGateway } from "../testing/test-gateway.ts";
import { until } from "../testing/until.ts";

const source = {
  platform: "telegram",
  chat_id: "7",
  chat_type: "dm",
  user_id: "7",
  user_name: "Ada",
};
const key = asSessionKey("agent:main:telegram:dm:7");

const texts = async (gateway: TestGateway, of = key): Promise<string[]> =>
  (await gateway.call("sessions.history", { key: of })).messages.map((row) => row.text);

/** Says something as Ada and waits for the practice agent's answer. */
async function say(gateway: TestGateway, text: string): Promise<void> {
  await gateway.call("channels.simulate", { source, text });
  await until("it is answered", async () => (await texts(gateway)).includes(`You said: ${text}`));
}

const mirrorOf = (dataDir: string) =>
  JSON.parse(readFileSync(join(dataDir, "sessions/sessions.json"), "utf8")) as Record<
    string,
    { session_id: string }
  >;

describe("a whole gateway", () => {
  test("mirrors its lanes, finds what was said, exports it", async () => {
    const gateway = await testGateway();
    await say(gateway, "the quokka is green");
    const found = await until("the message is found", async () => {
      const page = await gateway.call("search.messages", { query: "quokka" });
      return page.hits.length === 2 && page;
    });
    expect(found.hits.map(({ role, snippet }) => [role, snippet])).toEqual([
      ["assistant", "You said: the quokka is green"],
      ["user", "the quokka is green"],
    ]);
    expect(found.hits[0]).toMatchObject({ key, title: "Ada", from: null });
    const exported = await gateway.call("sessions.export", { key, format: "markdown" });
    expect(exported).toMatchObject({
      nextCursor: null,
      fileName: expect.stringMatching(/\.md$/) as string,
    });
    expect(exported.chunk).toContain("You said: the quokka is green");
    await expect(gateway.call("sessions.export", { format: "json" })).rejects.toMatchObject({
      code: "E_INPUT",
    });
    await gateway.stop();
    const { sessionId } = found.hits[0]!;
    expect(mirrorOf(gateway.dataDir)[key]!.session_id).toBe(sessionId);
    expect(existsSync(join(gateway.dataDir, "search.db"))).toBe(true);

    const again = await testGateway({ dataDir: gateway.dataDir });
    expect((await again.call("search.messages", { query: "quokka" })).hits).toHaveLength(2);
    expect((await again.call("notices.list", {})).notices).toEqual([]);
  });

  test("without its database says so, works on, and merges back", async () => {
    const gateway = await testGateway();
    const { dataDir } = gateway;
    await say(gateway, "before");
    await gateway.stop();
    const file = join(dataDir, "state.db");
    renameSync(file, `${file}.good`);
    writeFileSync(file, "this is no database ".repeat(400));

    const degraded = await testGateway({ dataDir });
    const status = await degraded.call("gateway.status", {});
    expect(status.state).toBe("degraded");
    expect(status.problems[0]).toMatchObject({ code: "E_STORE_DAMAGED", where: file });
    expect((await degraded.call("sessions.list", {})).sessions.map((row) => row.key)).toEqual([
      key,
    ]);
    await say(degraded, "meanwhile");
    expect((await degraded.call("search.messages", { query: "meanwhile" })).hits).toHaveLength(2);
    await expect(degraded.call("import.run", { dir: tempDir() })).rejects.toMatchObject({
      code: "E_CONFLICT",
    });
    const { notices } = await degraded.call("notices.list", {});
    expect(notices.map((notice) => notice.title)).toContain(
      "The gateway runs without its database",
    );
    await degraded.stop();
    expect(readFileSync(file, "utf8")).toContain("this is no database");

    rmSync(file);
    renameSync(`${file}.good`, file);
    const healthy = await testGateway({ dataDir });
    expect((await healthy.call("gateway.status", {})).state).toBe("up");
    expect(await texts(healthy)).toEqual([
      "before",
      "You said: before",
      "meanwhile",
      "You said: meanwhile",
    ]);
    await say(healthy, "after");
    const titles = (await healthy.call("notices.list", {})).notices.map((notice) => notice.title);
    expect(titles).toContain("The database is back");
    expect(
      readdirSync(join(dataDir, "sessions")).filter((name) => name.endsWith(".jsonl")),
    ).toEqual([]);
  });

  test("a mirror that holds nonsense starts it all the same, once told", async () => {
    const gateway = await testGateway();
    const { dataDir } = gateway;
    await say(gateway, "before");
    await gateway.stop();
    const mirror = join(dataDir, "sessions/sessions.json");
    writeFileSync(mirror, '{"agent:main:x": {"session_key": "other"}, "cut');
    const again = await testGateway({ dataDir });
    await say(again, "after");
    const told = async () =>
      (await again.call("notices.list", {})).notices.map((notice) => notice.body);
    expect(await told()).toEqual([expect.stringContaining("records were set aside")]);
    await again.stop();
    expect(Object.keys(mirrorOf(dataDir))).toContain(key);
    const third = await testGateway({ dataDir });
    expect((await third.call("notices.list", {})).unseen).toBe(1);
  });
});

describe("an imported folder (field case 01)", () => {
  const third = asSessionKey("agent:main:discord:channel:900000000000000011");

  test("is used from then on: lanes go on, routes are learned, orphans are attached", async () => {
    const dir = tempDir();
    cpSync(join(import.meta.dirname, "../testdata/01-store-truncated"), dir, { recursive: true });
    const gateway = await testGateway();
    const { report } = await gateway.call("import.run", { dir });
    expect(report!.taken).toEqual({ lanes: 3, sessions: 4, messages: 8 });
    expect((await gateway.call("import.status", {})).state).toBe("done");

    // one local message continues the lane whose route was lost
    await gateway.call("sessions.send", { key: third, text: "and now?" });
    await until("it is answered", async () =>
      (await texts(gateway, third)).includes("You said: and now?"),
    );
    expect(await texts(gateway, third)).toEqual(["ping", "pong", "and now?", "You said: and now?"]);
    const lane = await gateway.call("sessions.get", { key: third });
    expect(lane).toMatchObject({
      sessionId: "0a1b2c3d-0001-4000-8000-000000000003",
      origin: { platform: "local" },
    });
    // and its own chat, once it writes, is where replies go
    await gateway.call("channels.simulate", {
      source: { platform: "discord", chat_id: "900000000000000011", chat_type: "channel" },
      text: "hello",
    });
    await until("it is answered", async () =>
      (await texts(gateway, third)).includes("You said: hello"),
    );
    expect((await gateway.call("sessions.get", { key: third })).origin).toMatchObject({
      platform: "discord",
      chat_id: "900000000000000011",
    });

    const { sessions } = await gateway.call("import.unattached", {});
    expect(sessions).toEqual([
      expect.objectContaining({ preview: "book the room", messageCount: 2 }),
    ]);
    const rooms = "agent:main:local:dm:rooms";
    await gateway.call("import.attach", { sessionId: sessions[0]!.sessionId, key: rooms });
    expect(await texts(gateway, asSessionKey(rooms))).toEqual(["book the room", "Done."]);
    await expect(
      gateway.call("import.attach", { sessionId: sessions[0]!.sessionId, key: third }),
    ).rejects.toMatchObject({ code: "E_CONFLICT" });
    expect((await gateway.call("search.messages", { query: "room" })).hits).toHaveLength(1);

    const notices = (await gateway.call("notices.list", {})).notices;
    expect(notices.map(({ kind }) => kind)).toEqual(["needs_you"]);
    await gateway.stop();
    const again = await testGateway({ dataDir: gateway.dataDir });
    await again.call("import.run", { dir });
    expect((await again.call("notices.list", {})).notices).toHaveLength(1);
    expect(Object.keys(mirrorOf(gateway.dataDir))).toEqual(
      expect.arrayContaining(["agent:main:main", third, rooms]),
    );
  });
});

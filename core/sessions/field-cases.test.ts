import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { SessionKey } from "../contract/ids.ts";
import { scriptedChannel } from "../testing/scripted-channel.ts";
import { testGateway } from "../testing/test-gateway.ts";
import { buildSessionKey } from "./session-key.ts";
import type { KeyRules } from "./session-key.ts";
import { canonicalWhatsApp, normalizeWhatsApp } from "./whatsapp-identity.ts";
import { whatsAppMappingFiles } from "./whatsapp-mapping-files.ts";
import { chatIdKey, sessionSource } from "./session-source.ts";
import type { SessionSource } from "./session-source.ts";

/**
 * Field cases 06, 11 and 15 as far as they are about sessions: which message belongs to which one, and where its answer
 * goes. The functions below stand for the adapters of a later step; they only name what a platform's message carries.
 */
const read = (path: string): unknown =>
  JSON.parse(readFileSync(join(import.meta.dirname, "../testdata", path), "utf8"));

/** A gateway with one channel that stands for the platform. */
async function platform(id: string, settings: Record<string, unknown> = {}) {
  const channel = scriptedChannel(id);
  const world = await testGateway({ channel, settings });
  let turns = 0;
  return {
    ...world,
    /** Posts a message and waits for its answer; returns the lane that it came into. */
    async say(source: SessionSource, text: string, messageId: string): Promise<SessionKey> {
      const { key } = await channel.post(text, { source, messageId });
      turns += 1;
      await world.replied(turns);
      return key;
    },
  };
}

const shared = { group_sessions_per_user: false };
const sharedRules: KeyRules = { groupSessionsPerUser: false, threadSessionsPerUser: false };

describe("Telegram topics (field case 06)", () => {
  interface Message {
    message_id: number;
    from: { id: number; first_name: string };
    chat: { id: number; type: string; title?: string; is_forum?: boolean };
    text?: string;
    message_thread_id?: number;
    is_topic_message?: boolean;
    forum_topic_edited?: { name: string };
  }
  const { result } = read("06-telegram-forum-topics/updates.json") as {
    result: { update_id: number; message: Message }[];
  };
  const expected = read("06-telegram-forum-topics/expected.json") as {
    updates: {
      update_id: number;
      decision: string;
      session: string | null;
      reply_to?: { chat_id: number; message_thread_id: number | "absent" };
    }[];
  };

  /** A thread only where the forum says that it is a topic; General is the forum itself. */
  const sourceOf = ({ chat, from, ...message }: Message): SessionSource =>
    sessionSource({
      platform: "telegram",
      chatId: chatIdKey(chat.id),
      chatName: chat.title,
      chatType: chat.type === "private" ? "dm" : "group",
      userId: String(from.id),
      userName: from.first_name,
      threadId:
        message.is_topic_message === true && message.message_thread_id !== 1
          ? String(message.message_thread_id)
          : null,
    });

  test("five sessions, each answered in its topic or in none", async () => {
    // General and the plain group are shared by their members here, as the case says.
    const telegram = await platform("telegram", shared);
    const labels = new Map<string, SessionKey>();
    const byKey = new Map<SessionKey, { chat_id: number; message_thread_id: number | "absent" }>();
    for (const want of expected.updates) {
      const { message } = result.find((update) => update.update_id === want.update_id)!;
      const label = want.session;
      if (want.decision !== "turn") {
        // What renames or closes a topic names the same session.
        if (label !== null)
          expect(buildSessionKey(sourceOf(message), sharedRules)).toBe(labels.get(label));
        continue;
      }
      const key = await telegram.say(
        sourceOf(message),
        message.text ?? "",
        String(message.message_id),
      );
      expect(labels.get(label!) ?? key).toBe(key);
      labels.set(label!, key);
      byKey.set(key, want.reply_to!);
    }
    expect(labels.size).toBe(5);
    expect(new Set(labels.values()).size).toBe(5);
    expect(telegram.channel.sent).toHaveLength(8);
    for (const { key, target } of telegram.channel.sent) {
      const want = byKey.get(key)!;
      expect(target.chatId).toBe(String(want.chat_id));
      expect(target.threadId).toBe(
        want.message_thread_id === "absent" ? null : String(want.message_thread_id),
      );
    }
  });
});

describe("Discord threads (field case 11)", () => {
  interface Dispatch {
    t: string;
    s: number;
    d: {
      id: string;
      channel_id?: string;
      guild_id: string;
      parent_id?: string;
      author?: { id: string; username: string };
      content?: string;
      name?: string;
    };
  }
  const dispatches = read("11-discord-threads/dispatches.json") as Dispatch[];
  const channels = read("11-discord-threads/rest.json") as Record<
    string,
    { id: string; type: number; parent_id?: string | null }
  >;
  const expected = read("11-discord-threads/expected.json") as {
    by_sequence: Record<string, { decision: string; session?: string; parent_channel?: string }>;
    reply_targets: Record<string, string>;
  };

  /** A thread is a chat of its own, by its own id; its parent is only where permission comes from. */
  const sourceOf = ({ d }: Dispatch): SessionSource => {
    const chat = channels[`GET /channels/${d.channel_id ?? d.id}`];
    const isThread = chat?.type === 11;
    return sessionSource({
      platform: "discord",
      chatId: d.channel_id ?? d.id,
      chatType: isThread ? "thread" : "channel",
      threadId: isThread ? (d.channel_id ?? d.id) : null,
      parentChatId: isThread ? (chat.parent_id ?? null) : null,
      scopeId: d.guild_id,
      userId: d.author?.id ?? null,
      userName: d.author?.username ?? null,
    });
  };

  test("three sessions; a renamed thread keeps its key; stop acts in the thread", async () => {
    const discord = await platform("discord", shared);
    const labels = new Map<string, SessionKey>();
    for (const dispatch of dispatches) {
      const want = expected.by_sequence[String(dispatch.s)]!;
      if (want.session === undefined) continue;
      const source = sourceOf(dispatch);
      if (want.decision === "config") {
        expect(buildSessionKey(source, sharedRules)).toBe(labels.get(want.session));
        continue;
      }
      if (want.decision === "control") {
        const stopped = await discord.channel.post("/stop", { source, messageId: dispatch.d.id });
        expect(stopped).toMatchObject({ kind: "accepted", key: labels.get(want.session) });
        continue;
      }
      const key = await discord.say(source, dispatch.d.content!, dispatch.d.id);
      expect(labels.get(want.session) ?? key).toBe(key);
      labels.set(want.session, key);
      if (want.parent_channel !== undefined) expect(source.parentChatId).toBe(want.parent_channel);
    }
    expect([...labels.keys()].toSorted()).toEqual(["SC", "SF", "ST"]);
    expect(new Set(labels.values()).size).toBe(3);
    for (const [label, key] of labels)
      for (const { target } of discord.channel.sent.filter((message) => message.key === key))
        expect(target.chatId).toBe(expected.reply_targets[label]);
  });
});

describe("one WhatsApp person under many ids (field case 15)", () => {
  interface Event {
    name: string;
    data: {
      messages: {
        key: { remoteJid: string; remoteJidAlt?: string; senderPn?: string; id: string };
        message: { conversation: string };
        pushName: string;
      }[];
    };
  }
  const events = read("15-whatsapp-one-person-many-ids/events.json") as Event[];
  const expected = read("15-whatsapp-one-person-many-ids/expected.json") as {
    by_name: Record<string, { decision: string; session?: string }>;
    reply_to: Record<string, string>;
  };

  const personAt = (chatId: string, userName?: string): SessionSource =>
    sessionSource({ platform: "whatsapp", chatId, chatType: "dm", userId: chatId, userName });

  /** What the bridge writes when a message names both the number and the linked id. */
  function learn(home: string, { key }: Event["data"]["messages"][number]): void {
    const phone = key.remoteJidAlt ?? key.senderPn;
    if (phone === undefined) return;
    const folder = join(home, "platforms/whatsapp/session");
    mkdirSync(folder, { recursive: true });
    const [lid, number] = [normalizeWhatsApp(key.remoteJid), normalizeWhatsApp(phone)];
    writeFileSync(join(folder, `lid-mapping-${lid}.json`), JSON.stringify(number));
    writeFileSync(join(folder, `lid-mapping-${number}_reverse.json`), JSON.stringify(lid));
  }

  test("two sessions; each answer goes to the id that the message came from", async () => {
    const whatsapp = await platform("whatsapp");
    const labels = new Map<string, SessionKey>();
    const replies: string[] = [];
    for (const event of events) {
      const want = expected.by_name[event.name]!;
      if (want.decision !== "turn") continue; // who may write, and what is new, is the adapter's to say
      const [message] = event.data.messages;
      learn(whatsapp.dataDir, message!);
      const chat = message!.key.remoteJid;
      const key = await whatsapp.say(
        personAt(chat, message!.pushName),
        message!.message.conversation,
        message!.key.id,
      );
      expect(labels.get(want.session!) ?? key).toBe(key);
      labels.set(want.session!, key);
      replies.push(expected.reply_to[event.name] ?? chat);
    }
    expect(labels.get("P")).toBe("agent:main:whatsapp:dm:15550001111");
    expect(new Set(labels.values()).size).toBe(2);
    expect(replies).toHaveLength(7);
    expect(whatsapp.channel.sent.map(({ target }) => target.chatId)).toEqual(replies);
    // what was learned outlives a restart
    const again = whatsAppMappingFiles(whatsapp.dataDir);
    expect(canonicalWhatsApp("240000000000001@hosted.lid", again)).toBe("15550001111");
  });

  test("a linked id that came first joins the person once its number is known", async () => {
    const whatsapp = await platform("whatsapp");
    const first = await whatsapp.say(personAt("240000000000001@lid"), "before", "1");
    const b = events.find(({ name }) => name === "b")!.data.messages[0]!;
    learn(whatsapp.dataDir, b);
    const key = await whatsapp.say(personAt(b.key.remoteJid), "after", "2");
    expect(key).not.toBe(first);
    const { messages } = await whatsapp.call("sessions.history", { key });
    expect(messages.map((row) => row.text)).toEqual([
      "before",
      "You said: before",
      "after",
      "You said: after",
    ]);
    expect((await whatsapp.call("sessions.list")).total).toBe(1);
  });
});

import { createHmac } from "node:crypto";
import { secret } from "./line.ts";
import type { Said } from "./evidence.ts";
import type { Chance } from "./seeded.ts";

/** A chat and who writes in it; each person waits for one message to be confirmed before the next. */
export interface Lane {
  name: string;
  hook: string;
  chat: string;
  type: "dm" | "group";
  people: string[];
  /**
   * `calm` never takes anything back; `unruly` stops, resets, and asks for failures; `hasty` cuts a turn by the next message;
   * `steering` puts messages into the running one.
   */
  temper: "calm" | "bursty" | "unruly" | "hasty" | "steering";
}

/** Where the gateway answers now; null while it is down. Resolves anew after each start. */
export interface Whereabouts {
  now(): { url: string; token: string } | null;
  next(): Promise<void>;
}

/** Longer than the pause within which the gateway joins texts, in ms; see `burst_gap` in the storm's settings. */
export const apartMs = 90;

interface Draft {
  kind: Said["kind"];
  text(id: string): string;
  marks(id: string): string[];
}

const plain = (before: string): Draft => ({
  kind: "message",
  text: (id) => `${before}${id}; hello`,
  marks: (id) => [`${id};`],
});
const withoutMarks = (text: (id: string) => string): Draft => ({
  kind: "message",
  text,
  marks: () => [],
});

/** Long enough for several parts on a hook that sends in parts. */
const long: Draft = {
  kind: "message",
  text: (id) => `${id}; ${"all the way down the line ".repeat(14)}end-${id};`,
  marks: (id) => [`${id};`, `end-${id};`],
};
const command = (kind: "stop" | "new"): Draft => ({
  kind,
  text: () => `/${kind}`,
  marks: () => [],
});
const setting = (text: string): Draft => ({ kind: "setting", text: () => text, marks: () => [] });
const settings = { hasty: "/busy interrupt", steering: "/busy steer" } as const;

function draft(lane: Lane, chance: Chance): Draft {
  const roll = chance.next();
  // A tool call to come is where a message can be put in.
  if (lane.temper === "steering" && roll < 0.5) return plain("!sleep 200ms !tool look 1KB ");
  if (lane.temper === "unruly") {
    if (roll < 0.07) return command("stop");
    if (roll < 0.12) return command("new");
    if (roll < 0.2) return withoutMarks((id) => `!fail ${id}`);
    if (roll < 0.27) return withoutMarks((id) => `!silent ${id}`);
  }
  if (roll < 0.4) return plain(`!sleep ${chance.pick([40, 120, 300])}ms `);
  if (roll < 0.43) return plain("!sleep 1200ms ");
  if (roll < 0.53) return { ...plain(""), kind: "queue", text: (id) => `/queue ${id}; later` };
  if (roll < 0.6) return long;
  // Not where turns are stopped: a turn that is taken up hears an unanswered word before it as its own.
  if (roll < 0.65 && (lane.temper === "calm" || lane.temper === "bursty"))
    return withoutMarks(() => "!stream 24");
  return plain("");
}

/**
 * One signed request to a hook.
 * @returns the status; 0 where the gateway was gone before it answered.
 */
export async function postHook(
  url: string,
  { hook, chat, type }: Pick<Lane, "hook" | "chat" | "type">,
  person: string,
  id: string,
  text: string,
): Promise<number> {
  const body = JSON.stringify({
    messageId: id,
    text,
    chat: { id: chat, type },
    user: { id: person, name: person },
  });
  const stamp = String(Math.floor(Date.now() / 1000));
  const hash = createHmac("sha256", secret).update(`${stamp}.${body}`).digest("hex");
  try {
    const response = await fetch(`${url}/hooks/${hook}`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "x-signalbox-timestamp": stamp,
        "x-signalbox-signature": `sha256=${hash}`,
      },
      body,
    });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return 0; // it died meanwhile: the same id again
  }
}

/** Sends as a real sender does: signed, with an id, again and again until it is confirmed. */
export function createPeople(lanes: readonly Lane[], at: Whereabouts, chance: Chance) {
  const said: Said[] = [];
  let count = 0;
  let over = false;

  const post = async (lane: Lane, person: string, id: string, text: string): Promise<number> => {
    const target = at.now();
    return target ? postHook(target.url, lane, person, id, text) : 0;
  };
  async function say(lane: Lane, person: string, given: Draft): Promise<void> {
    count += 1;
    const id = `m${count}`;
    const one: Said = {
      id,
      lane: lane.name,
      kind: given.kind,
      marks: given.marks(id),
      sentAt: performance.now(),
      ackedAt: null,
    };
    said.push(one);
    for (;;) {
      const status = await post(lane, person, id, given.text(id));
      if (status === 202) break;
      if (status === 0) await Promise.race([at.next(), pause(100)]);
      else if (status === 429 || status === 503) await pause(100);
      else throw new Error(`${lane.name} was refused ${id} with ${status}`);
    }
    one.ackedAt = performance.now();
  }

  async function live(lane: Lane, person: string, mine: Chance): Promise<void> {
    if (lane.temper === "hasty" || lane.temper === "steering")
      await say(lane, person, setting(settings[lane.temper]));
    while (!over) {
      if (lane.temper === "bursty" && mine.happens(0.3)) {
        for (let piece = mine.between(2, 3); piece > 0; piece -= 1)
          await say(lane, person, plain(""));
      } else {
        await say(lane, person, draft(lane, mine));
      }
      await pause(apartMs + mine.between(0, 250));
    }
  }

  const lives = lanes.flatMap((lane) =>
    lane.people.map((person) => live(lane, person, chance.branch(`${lane.name}/${person}`))),
  );
  return {
    said,
    /** Ends when every message that was begun is confirmed. One plain message more in each lane wakes what waits there. */
    async finish(): Promise<void> {
      over = true;
      await Promise.all(lives);
      await Promise.all(lanes.map((lane) => say(lane, lane.people[0] ?? "", plain(""))));
    },
    /** What `work` gives; throws where a person is refused for good meanwhile. */
    unlessRefused: <T>(work: Promise<T>): Promise<T> =>
      Promise.race([work, Promise.all(lives).then(() => work)]),
  };
}

export const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, ms));

import type { MessageRow, SessionRow, SessionState } from "../../../core/contract/domain.ts";
import { asSessionId, asSessionKey } from "../../../core/contract/ids.ts";

/** What a fake gateway starts with. The same numbers give the same sessions, to the last token. */
export interface FakeSeed {
  sessions: number;
  nowMs: number;
  /** Picks the pseudo-random sequence. Default 1. */
  salt?: number;
}

const MINUTE = 60_000;
const people = [
  "Anna Petrova",
  "Marek Novák",
  "Ifeoma Okafor",
  "Yuki Tanaka",
  "Lena Brandt",
  "Tomás Rivera",
  "Priya Raman",
  "Oleh Shevchuk",
  "Sofia Lindqvist",
  "Amir Haddad",
  "Chloé Martin",
  "Jonas Weber",
];
const rooms = ["#ops", "#release", "#support", "#design", "#incidents", "#family", "#reading-club"];
const topics = [
  "Release notes for 1.4",
  "Invoice from the plumber",
  "Flight to Lisbon",
  "Flaky test in the queue",
  "Weekly summary",
  "Rename the config file",
  "Backup of the old laptop",
  "Grant proposal, second draft",
];
const platforms = ["local", "telegram", "discord", "slack", "whatsapp", "webhook"] as const;
const agents = ["practice", "ollama", "claude", null] as const;

/** A small seeded generator (mulberry32): 0 ≤ x < 1. */
export function chance(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const pick = <T>(from: readonly T[], random: () => number): T =>
  from[Math.floor(random() * from.length)] as T; // every list above has members

/** Ends of the unit interval for each state, so that a large seed looks like a lived-in gateway. */
const shares: [SessionState, number][] = [
  ["stuck", 0.002],
  ["failed", 0.008],
  ["waiting", 0.012],
  ["suspended", 0.03],
  ["running", 0.034],
  ["queued", 0.036],
  ["resume_pending", 0.04],
  ["idle", 1],
];
const showpieces: SessionState[] = [
  "failed",
  "running",
  "waiting",
  "suspended",
  "queued",
  "stuck",
  "resume_pending",
];

/** One made-up session; the first few show every state, so that any page of a demonstration has something to see. */
export function fakeSession(index: number, { nowMs, salt = 1 }: FakeSeed): SessionRow {
  const random = chance(salt * 1_000_003 + index);
  const platform = pick(platforms, random);
  const group = platform !== "local" && platform !== "webhook" && random() < 0.35;
  const chat = platform === "local" ? `c${index.toString(36)}` : String(410_000 + index * 37);
  const chosen = random();
  const state =
    showpieces[index] ?? shares.find(([, until]) => chosen < until)?.[0] ?? ("idle" as const);
  const busy = state === "running" || state === "queued";
  const updatedAtMs = nowMs - Math.floor(index * 0.4 * MINUTE + random() * 4 * MINUTE) - 2_000;
  const messageCount = 2 + Math.floor(random() * 180);
  const inputTokens = messageCount * (200 + Math.floor(random() * 900));
  const outputTokens = messageCount * (60 + Math.floor(random() * 240));
  return {
    key: asSessionKey(`agent:main:${platform}:${group ? "group" : "dm"}:${chat}`),
    sessionId: asSessionId(`20260804_09${String(index % 60).padStart(2, "0")}_${hex(random)}`),
    title: group ? pick(rooms, random) : pick(random() < 0.5 ? people : topics, random),
    platform,
    channelId: platform,
    chatType: group ? "group" : "dm",
    state,
    stateSinceMs: busy ? nowMs - Math.floor(random() * 90_000) : updatedAtMs,
    queueDepth: busy ? Math.floor(random() * 4) : 0,
    agentId: pick(agents, random),
    messageCount,
    turnCount: Math.floor(messageCount / 2),
    inputTokens,
    outputTokens,
    totalTokens: inputTokens + outputTokens,
    createdAtMs: updatedAtMs - Math.floor(random() * 20_000) * MINUTE,
    updatedAtMs,
    turnStartedAtMs: state === "running" ? nowMs - Math.floor(random() * 60_000) : null,
    error:
      state === "failed"
        ? { code: "E_AGENT_DOWN", message: "The model server did not answer." }
        : null,
  };
}

const hex = (random: () => number): string =>
  Math.floor(random() * 0xffffffff)
    .toString(16)
    .padStart(8, "0");

const questions = [
  "Can you sum up what changed since yesterday?",
  "The build fails on the second worker, only there. What would you look at first?",
  "Please draft a short answer to the landlord. Friendly, but firm about the date.",
  "Which of the three options did we settle on, and why?",
  "Thanks. One more: what is left to do before Friday?",
];
const answers = [
  "Three things changed:\n\n1. The retry limit went from **5** to **3**.\n2. `queue.cap` is read from the settings now.\n3. Two flaky tests were rewritten; both passed 200 times in a row.\n\nNothing else touched behaviour.",
  "I would start with the lock file. The second worker starts 40 ms later and finds it held:\n\n```\n09:12:04.118  worker-2  lock.busy   owner=worker-1\n09:12:04.159  worker-2  lock.retry  attempt=1\n```\n\nIf that line is missing on a good run, it is the cause; if not, it is only a symptom.",
  "Here is a draft:\n\n> Dear Mr. Kowalski, thank you for your letter. The 14th does not work for us; we can offer the 17th or the 18th, any time after ten.\n\nShall I send it, or make it shorter?",
  "The second one: one table, two readers. The first needed a migration that cannot be undone, and the third kept the old format alive for a year.",
  "Two items:\n\n- read the proofs (about an hour)\n- ask Lena for the figures of July\n\nEverything else is done.",
];

/** A made-up transcript, oldest first, as long as the row says. */
export function fakeTranscript(row: SessionRow): MessageRow[] {
  const random = chance(row.messageCount * 31 + row.totalTokens);
  const spanMs = Math.max(MINUTE, row.updatedAtMs - row.createdAtMs);
  return Array.from({ length: row.messageCount }, (_, index): MessageRow => {
    const mine = index % 2 === 0;
    const tool = !mine && random() < 0.3;
    const text = pick(mine ? questions : answers, random);
    const boundary = index > 0 && index % 46 === 0;
    return {
      id: index + 1,
      sessionId: row.sessionId,
      role: boundary ? "boundary" : mine ? "user" : "assistant",
      text: boundary ? "The gateway restarted" : text,
      from: mine ? (row.chatType === "dm" ? row.title : pick(people, random)) : row.agentId,
      atMs: row.createdAtMs + Math.floor((spanMs * (index + 1)) / row.messageCount),
      turnId: null,
      cut: !mine && random() < 0.02 ? "stopped" : null,
      tools: tool
        ? [
            {
              id: `t${index}a`,
              name: "read_file",
              outcome: "ok",
              outputBytes: 1_830,
              output: "# Notes\n\nKept short on purpose.\n",
            },
            {
              id: `t${index}b`,
              name: "run_tests",
              outcome: random() < 0.3 ? "failed" : "ok",
              outputBytes: 12_400,
              output: "212 passed, 1 failed in 8.1 s\n",
            },
          ]
        : [],
      textBytes: text.length,
      delivery: mine ? null : "delivered",
    };
  });
}

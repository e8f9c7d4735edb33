/** One thing the practice agent was told to do, in the order it was written. */
export type PracticeAct =
  | { kind: "sleep"; ms: number }
  | { kind: "fail"; reason: string }
  | { kind: "silent" }
  | { kind: "stream"; words: number }
  | { kind: "size"; bytes: number }
  | { kind: "tool"; name: string; bytes: number }
  /** Calls a tool that the turn was given, with these arguments. */
  | { kind: "call"; name: string; args: unknown }
  | { kind: "hang" };

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000 };
const unitBytes: Readonly<Record<string, number>> = {
  b: 1,
  kb: 1024,
  mb: 1024 * 1024,
};

/** Bounds so that a typing slip cannot exhaust the laptop the gateway runs on. */
const most = {
  sleepMs: 3_600_000,
  words: 100_000,
  sizeBytes: 256 * 1024 * 1024,
  toolBytes: 64 * 1024 * 1024,
};

const words: readonly { pattern: RegExp; act: (parts: readonly string[]) => PracticeAct | null }[] =
  [
    {
      pattern: /^!sleep[ \t]+(\d+(?:\.\d+)?)(ms|s|m)(?!\S)/i,
      act: ([, amount = "", unit = ""]) => {
        const ms = Math.round(Number(amount) * (unitMs[unit.toLowerCase()] ?? 0));
        return ms <= most.sleepMs ? { kind: "sleep", ms } : null;
      },
    },
    {
      pattern: /^!fail(?:[ \t]+([^\r\n]*))?(?=[\r\n]|$)/i,
      act: ([, reason = ""]) => ({ kind: "fail", reason: reason.trim() }),
    },
    { pattern: /^!silent(?!\S)/i, act: () => ({ kind: "silent" }) },
    {
      pattern: /^!stream[ \t]+(\d+)(?!\S)/i,
      act: ([, amount = ""]) =>
        Number(amount) <= most.words ? { kind: "stream", words: Number(amount) } : null,
    },
    {
      pattern: /^!size[ \t]+(\d+(?:\.\d+)?)(b|kb|mb)(?!\S)/i,
      act: ([, amount = "", unit = ""]) => {
        const bytes = toBytes(amount, unit);
        return bytes <= most.sizeBytes ? { kind: "size", bytes } : null;
      },
    },
    {
      pattern: /^!tool[ \t]+([\w.-]{1,64})[ \t]+(\d+(?:\.\d+)?)(b|kb|mb)(?!\S)/i,
      act: ([, name = "", amount = "", unit = ""]) => {
        const bytes = toBytes(amount, unit);
        return bytes <= most.toolBytes ? { kind: "tool", name, bytes } : null;
      },
    },
    {
      pattern: /^!call[ \t]+([\w.-]{1,64})(?:[ \t]+(\{[^\r\n]*\}))?[ \t]*(?=[\r\n]|$)/i,
      act: ([, name = "", json = "{}"]) => {
        const args = parsed(json);
        return args === undefined ? null : { kind: "call", name, args };
      },
    },
    { pattern: /^!hang(?!\S)/i, act: () => ({ kind: "hang" }) },
  ];

function parsed(json: string): unknown {
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return undefined;
  }
}

function toBytes(amount: string, unit: string): number {
  return Math.round(Number(amount) * (unitBytes[unit.toLowerCase()] ?? 0));
}

/**
 * Splits a turn's text into the words the practice agent obeys and what it is to answer.
 *
 * Words count only at the start and may be chained; a word with an unreadable or oversized amount is ordinary text
 * and ends the chain. KB and MB are 1024-based. In shared lanes the text begins with `[name] ` (lifecycle 5); words
 * may follow that, and the name stays in `rest`.
 *
 * @returns `rest`: the text unchanged where no word was found, else what follows the last word.
 */
export function parsePractice(text: string): { acts: PracticeAct[]; rest: string } {
  const sender = /^\[[^\]\r\n]{1,260}\] (?=!)/.exec(text)?.[0] ?? "";
  let rest = text.slice(sender.length);
  const acts: PracticeAct[] = [];
  for (;;) {
    const next = nextAct(rest);
    if (!next) break;
    acts.push(next.act);
    rest = rest.slice(next.length).trimStart();
  }
  return acts.length === 0 ? { acts, rest: text } : { acts, rest: sender + rest };
}

function nextAct(text: string): { act: PracticeAct; length: number } | null {
  for (const word of words) {
    const match = word.pattern.exec(text);
    if (!match) continue;
    const act = word.act(match);
    return act && { act, length: match[0].length };
  }
  return null;
}

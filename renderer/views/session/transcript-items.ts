import type { MessageRow, WaitingItem } from "../../../core/contract/domain.ts";
import type { CommandAnswer, Outgoing } from "../../stores/composer.ts";
import type { LiveText } from "../../stores/transcript-view.ts";

/** One line of the transcript as it is drawn. */
export type TranscriptItem =
  | { kind: "start"; key: string }
  | { kind: "older"; key: string }
  | { kind: "day"; key: string; atMs: number }
  | { kind: "message"; key: string; message: MessageRow; continues: boolean }
  | { kind: "boundary"; key: string; message: MessageRow }
  | { kind: "live"; key: string; live: LiveText; continues: boolean }
  | { kind: "waiting"; key: string; item: WaitingItem }
  | { kind: "outgoing"; key: string; outgoing: Outgoing }
  | { kind: "answer"; key: string; answer: CommandAnswer };

export interface TranscriptParts {
  messages: readonly MessageRow[];
  hasMore: boolean;
  loaded: boolean;
  live: LiveText | null;
  waiting: readonly WaitingItem[];
  outgoing: readonly Outgoing[];
  answers: readonly CommandAnswer[];
}

/** Messages of one sender this close together stand under one name. */
const TOGETHER_MS = 5 * 60_000;

const dayOf = (atMs: number): string => new Date(atMs).toDateString();

const continues = (before: MessageRow | undefined, message: MessageRow): boolean =>
  before?.role === message.role &&
  before.from === message.from &&
  message.atMs - before.atMs < TOGETHER_MS &&
  dayOf(before.atMs) === dayOf(message.atMs);

/** The transcript in the order in which it is read: what was said, what is being said, what waits to be said. */
export function transcriptItems(parts: TranscriptParts): TranscriptItem[] {
  const { messages, hasMore, loaded, live, waiting, outgoing, answers } = parts;
  const items: TranscriptItem[] = [];
  if (hasMore) items.push({ kind: "older", key: "older" });
  else if (loaded && messages.length > 0) items.push({ kind: "start", key: "start" });
  let before: MessageRow | undefined;
  const unplaced = [...answers];
  const placeAnswers = (untilMs: number) => {
    while (unplaced[0] !== undefined && unplaced[0].atMs <= untilMs) {
      const answer = unplaced.shift();
      if (answer) items.push({ kind: "answer", key: `answer ${answer.id}`, answer });
    }
  };
  for (const message of messages) {
    placeAnswers(message.atMs);
    if (before === undefined || dayOf(before.atMs) !== dayOf(message.atMs))
      items.push({ kind: "day", key: `day ${dayOf(message.atMs)}`, atMs: message.atMs });
    const key = `message ${message.id}`;
    if (message.role === "boundary") items.push({ kind: "boundary", key, message });
    else items.push({ kind: "message", key, message, continues: continues(before, message) });
    before = message;
  }
  placeAnswers(Number.POSITIVE_INFINITY);
  if (live !== null) items.push({ kind: "live", key: "live", live, continues: false });
  for (const item of waiting) items.push({ kind: "waiting", key: `waiting ${item.inputId}`, item });
  for (const one of outgoing)
    items.push({ kind: "outgoing", key: `outgoing ${one.messageId}`, outgoing: one });
  return items;
}

/** A first guess at an item's height in lines, until it is measured. */
export function guessedLines(item: TranscriptItem, columns: number): number {
  switch (item.kind) {
    case "start":
    case "older":
    case "day":
    case "boundary":
      return 2;
    case "message":
      return 2 + lines(item.message.text, columns) + (item.message.tools.length > 0 ? 1 : 0);
    case "live":
      return 2 + lines(item.live.text, columns);
    case "waiting":
      return 2 + lines(item.item.preview, columns);
    case "outgoing":
      return 2 + lines(item.outgoing.text, columns);
    case "answer":
      return 2 + lines(item.answer.text, columns);
  }
}

const LONG = 40;

function lines(text: string, columns: number): number {
  let count = 0;
  for (const line of text.split("\n", LONG)) count += Math.max(1, Math.ceil(line.length / columns));
  return Math.min(LONG, count);
}

/** The text an item can be searched by. */
export function searchableText(item: TranscriptItem): string {
  switch (item.kind) {
    case "message":
    case "boundary":
      return item.message.text;
    case "live":
      return item.live.text;
    case "waiting":
      return item.item.preview;
    case "outgoing":
      return item.outgoing.text;
    case "answer":
      return item.answer.text;
    case "start":
    case "older":
    case "day":
      return "";
  }
}

/** The places of the items that hold the words, top to bottom. */
export function matchingItems(items: readonly TranscriptItem[], words: string): number[] {
  const wanted = words.trim().toLowerCase();
  if (wanted === "") return [];
  return items.flatMap((item, index) =>
    searchableText(item).toLowerCase().includes(wanted) ? [index] : [],
  );
}

/** The messages as Markdown, for pasting somewhere else. */
export function asMarkdown(
  title: string,
  messages: readonly MessageRow[],
  nameOf: (message: MessageRow) => string,
): string {
  const parts = messages.map((message) => {
    const when = new Date(message.atMs).toISOString().slice(0, 16).replace("T", " ");
    if (message.role === "boundary") return `---\n\n_${message.text}, ${when} UTC_`;
    const tools = message.tools.map(({ name, outcome }) => `- \`${name}\`: ${outcome}`);
    return [`**${nameOf(message)}** · ${when} UTC`, message.text, tools.join("\n")]
      .filter((part) => part !== "")
      .join("\n\n");
  });
  return `# ${title}\n\n${parts.join("\n\n")}\n`;
}

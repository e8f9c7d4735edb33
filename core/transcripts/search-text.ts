/** A place in a text, in UTF-16 units; `end` is behind it. */
export interface Span {
  start: number;
  end: number;
}

/** What one part of a query asks for. Words are folded. */
export type Term =
  /** These words in a row; of the last one only its beginning where `prefix`. */
  | {
      readonly kind: "words";
      readonly text: string;
      readonly words: readonly string[];
      readonly prefix: boolean;
    }
  /** These characters in a row: scripts that do not put blanks between words, and signs. */
  | { readonly kind: "characters"; readonly text: string; readonly folded: string };

/** Scripts in which a word does not end at a blank, or grows endings of its own. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

export const isUnspaced = (text: string): boolean => UNSPACED.test(text);

const WORD = /[\p{L}\p{N}\p{M}\p{Co}]+/gu;

/** Case and accents taken off, as the index does: `Élan` is `elan`. */
export const fold = (text: string): string =>
  text
    .normalize("NFD")
    .replace(/[\u0300-\u036f]/g, "")
    .normalize("NFC")
    .toLowerCase();

const foldedWords = (text: string): string[] => (text.match(WORD) ?? []).map(fold);

/**
 * A query as a person types it: words that must all be there, `wor*` for a beginning, `"in a row"` for a phrase.
 * Nothing else is an operator.
 *
 * @returns An empty list where there is nothing to look for.
 */
export function parseQuery(query: string): Term[] {
  const terms: Term[] = [];
  for (const [, phrase, word] of query.matchAll(/"([^"]*)"?|([^\s"]+)/g)) {
    const text = (phrase ?? word ?? "").trim();
    if (text === "") continue;
    const stem = phrase === undefined ? text.replace(/\*+$/, "") : text;
    if (isUnspaced(stem)) {
      terms.push({ kind: "characters", text: stem, folded: fold(stem) });
      continue;
    }
    const words = foldedWords(stem);
    const prefix = stem !== text && /[\p{L}\p{N}\p{M}]$/u.test(stem);
    if (words.length > 0) terms.push({ kind: "words", text: stem, words, prefix });
    else terms.push({ kind: "characters", text, folded: fold(text) });
  }
  return terms;
}

/** Places shown for one term in one text. */
const spansAtMost = 20;

function wordSpans(text: string, { words, prefix }: Extract<Term, { kind: "words" }>): Span[] {
  const found: Span[] = [];
  const row: { word: string; start: number; end: number }[] = [];
  for (const match of text.matchAll(WORD)) {
    row.push({ word: fold(match[0]), start: match.index, end: match.index + match[0].length });
    if (row.length > words.length) row.shift();
    const [first] = row;
    if (!first || row.length < words.length) continue;
    const fits = row.every(({ word }, at) =>
      prefix && at === words.length - 1
        ? word.startsWith(words[at] ?? "")
        : word === (words[at] ?? ""),
    );
    if (!fits) continue;
    found.push({ start: first.start, end: match.index + match[0].length });
    if (found.length === spansAtMost) break;
  }
  return found;
}

function characterSpans(text: string, wanted: string): Span[] {
  const found: Span[] = [];
  let folded = "";
  const starts: number[] = []; // of the character that each unit of `folded` came from
  let at = 0;
  for (const character of text) {
    const plain = fold(character);
    for (let n = 0; n < plain.length; n += 1) starts.push(at);
    folded += plain;
    at += character.length;
  }
  starts.push(at);
  for (
    let hit = folded.indexOf(wanted);
    hit !== -1 && found.length < spansAtMost;
    hit = folded.indexOf(wanted, hit + wanted.length)
  )
    found.push({ start: starts[hit] ?? 0, end: starts[hit + wanted.length] ?? at });
  return found;
}

/**
 * Where a text answers a query.
 *
 * @returns The places, in order, or null where one of the terms is missing.
 */
export function findTerms(text: string, terms: readonly Term[]): Span[] | null {
  const all: Span[] = [];
  for (const term of terms) {
    const spans = term.kind === "words" ? wordSpans(text, term) : characterSpans(text, term.folded);
    if (spans.length === 0) return null;
    all.push(...spans);
  }
  return all.toSorted((a, b) => a.start - b.start);
}

const before = 60;
const longest = 200;

/** A piece of the text around the first place, on one line, with the places that are in it. */
export function snippetOf(
  text: string,
  spans: readonly Span[],
): { snippet: string; matches: Span[] } {
  const first = spans[0]?.start ?? 0;
  let from = Math.max(0, first - before);
  if (from > 0) {
    const blank = text.slice(from, first).search(/\s/);
    if (blank !== -1) from += blank + 1;
    else if (isLowSurrogate(text, from)) from += 1;
  }
  let to = Math.min(text.length, from + longest);
  if (isLowSurrogate(text, to)) to -= 1;
  const head = from > 0 ? "…" : "";
  const tail = to < text.length ? "…" : "";
  const shift = head.length - from;
  return {
    snippet: head + text.slice(from, to).replace(/\s/g, " ") + tail,
    matches: spans
      .filter((span) => span.start >= from && span.end <= to)
      .map((span) => ({ start: span.start + shift, end: span.end + shift })),
  };
}

const isLowSurrogate = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff;
};

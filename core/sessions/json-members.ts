/** One member of an object as its text stands in the file. */
export interface JsonMember {
  readonly key: string;
  /** The value's text, to be parsed by whoever wants it; of a cut value what was whole in it, closed. */
  readonly raw: string;
  /** False where the text ended inside this value. */
  readonly whole: boolean;
}

const QUOTE = 0x22;
const COLON = 0x3a;
const COMMA = 0x2c;
const OPEN = 0x7b;
const CLOSE = 0x7d;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;

const isBlank = (code: number): boolean =>
  code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;

const isDelimiter = (code: number): boolean =>
  code === COMMA || code === CLOSE || code === CLOSE_LIST || isBlank(code);

function skipBlank(text: string, from: number): number {
  let at = from;
  while (at < text.length && isBlank(text.charCodeAt(at))) at += 1;
  return at;
}

/** @param at Of the opening quote. @returns Behind the closing one, or -1 where the text ends first. */
function endOfString(text: string, at: number): number {
  for (let end = text.indexOf('"', at + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text.charAt(end - 1 - slashes) === "\\") slashes += 1;
    if (slashes % 2 === 0) return end + 1;
  }
  return -1;
}

/** @returns Behind the value that begins at `at`, or -1 where the text ends first. Only brackets and strings are looked at. */
function endOfValue(text: string, at: number): number {
  let depth = 0;
  let here = at;
  while (here < text.length) {
    const code = text.charCodeAt(here);
    if (code === QUOTE) {
      here = endOfString(text, here);
      if (here === -1) return -1;
      if (depth === 0) return here;
      continue;
    }
    if (code === OPEN || code === OPEN_LIST) depth += 1;
    else if (code === CLOSE || code === CLOSE_LIST) {
      if (depth === 0) return here;
      depth -= 1;
      if (depth === 0) return here + 1;
    } else if (depth === 0 && isDelimiter(code)) return here;
    here += 1;
  }
  return -1;
}

/**
 * What is whole in a value whose end is missing, closed so that it can be parsed: members up to the cut, never a
 * guess at the one that the cut went through.
 */
function closedAtCut(text: string): string {
  let closers = "";
  let safe = 0;
  let safeClosers = "";
  const complete = (at: number): void => {
    safe = at;
    safeClosers = closers;
  };
  for (let at = 0; at < text.length;) {
    const code = text.charCodeAt(at);
    if (code === OPEN || code === OPEN_LIST) {
      closers = (code === OPEN ? "}" : "]") + closers;
      at += 1;
      if (safe === 0) complete(at);
    } else if (code === CLOSE || code === CLOSE_LIST) {
      closers = closers.slice(1);
      at += 1;
      complete(at);
    } else if (code === QUOTE) {
      at = endOfString(text, at);
      if (at === -1) break;
      const next = skipBlank(text, at);
      // A string that a colon follows is a name; one that nothing follows might be.
      if (next < text.length && text.charCodeAt(next) !== COLON) complete(at);
    } else if (code === COMMA || code === COLON || isBlank(code)) at += 1;
    else {
      while (at < text.length && !isDelimiter(text.charCodeAt(at))) at += 1;
      if (at < text.length) complete(at); // `12` at the very end may have been `123`
    }
  }
  return text.slice(0, safe) + safeClosers;
}

function keyText(quoted: string): string | null {
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return null;
  }
}

/**
 * The members of a JSON object, one at a time, as far as the text holds them: for files that may be cut, damaged or
 * too large to parse in one go. Values are not checked; parse `raw` and expect it to fail.
 *
 * @returns Whether the object was whole, with nothing behind it. False is how every other text ends.
 */
export function* jsonMembers(text: string): Generator<JsonMember, boolean> {
  let at = skipBlank(text, text.charCodeAt(0) === 0xfeff ? 1 : 0);
  if (text.charCodeAt(at) !== OPEN) return false;
  at = skipBlank(text, at + 1);
  if (text.charCodeAt(at) === CLOSE) return skipBlank(text, at + 1) === text.length;
  for (;;) {
    if (text.charCodeAt(at) !== QUOTE) return false;
    const keyEnd = endOfString(text, at);
    const key = keyEnd === -1 ? null : keyText(text.slice(at, keyEnd));
    if (key === null) return false;
    at = skipBlank(text, keyEnd);
    if (text.charCodeAt(at) !== COLON) return false;
    at = skipBlank(text, at + 1);
    const end = endOfValue(text, at);
    if (end === -1) {
      const raw = closedAtCut(text.slice(at));
      if (raw !== "") yield { key, raw, whole: false };
      return false;
    }
    yield { key, raw: text.slice(at, end), whole: true };
    at = skipBlank(text, end);
    const code = text.charCodeAt(at);
    if (code === CLOSE) return skipBlank(text, at + 1) === text.length;
    if (code !== COMMA) return false;
    at = skipBlank(text, at + 1);
  }
}

/** Gathers a generator that ends with a verdict. */
export function gathered<T, V>(from: Generator<T, V>): { items: T[]; end: V } {
  const items: T[] = [];
  for (;;) {
    const step = from.next();
    if (step.done === true) return { items, end: step.value };
    items.push(step.value);
  }
}

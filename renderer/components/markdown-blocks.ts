/** A piece of a line. */
export type Inline =
  | { kind: "text"; text: string }
  | { kind: "code"; text: string }
  | { kind: "strong" | "emphasis"; children: Inline[] }
  | { kind: "link"; href: string; children: Inline[] };

/** A block of text, as agents write it. */
export type Block =
  | { kind: "paragraph"; children: Inline[] }
  | { kind: "heading"; level: number; children: Inline[] }
  | { kind: "code"; language: string; text: string }
  | { kind: "quote"; blocks: Block[] }
  | { kind: "list"; ordered: boolean; start: number; items: Block[][] }
  | { kind: "rule" };

const FENCE = /^ {0,3}(`{3,}|~{3,})\s*([\w+#.-]*)/;
const HEADING = /^ {0,3}(#{1,6})\s+(.+?)\s*#*$/;
const RULE = /^ {0,3}([-*_])(?:\s*\1){2,}\s*$/;
const ITEM = /^(\s{0,3})([-*+]|\d{1,9}[.)])\s+/;
const DEEPEST = 8; // deeper nesting is shown flat rather than trusted

/**
 * Reads the Markdown that agents write: paragraphs, headings, lists, quotes, code, rules. Never HTML: what looks like a
 * tag is text. Anything unclosed is closed by the end, so that a reply can be read while it is being written.
 */
export function markdownBlocks(text: string, depth = 0): Block[] {
  const lines = text.replaceAll("\r\n", "\n").split("\n");
  const blocks: Block[] = [];
  let at = 0;
  while (at < lines.length) {
    const line = lines[at] ?? "";
    const fence = FENCE.exec(line);
    if (line.trim() === "") at += 1;
    else if (fence !== null) {
      const mark = fence[1] ?? "```";
      const end = lines.findIndex((one, index) => index > at && one.trim().startsWith(mark));
      const body = lines.slice(at + 1, end < 0 ? lines.length : end);
      blocks.push({ kind: "code", language: fence[2] ?? "", text: body.join("\n") });
      at = end < 0 ? lines.length : end + 1;
    } else if (RULE.test(line)) {
      blocks.push({ kind: "rule" });
      at += 1;
    } else if (HEADING.test(line)) {
      const [, marks = "#", words = ""] = HEADING.exec(line) ?? [];
      blocks.push({ kind: "heading", level: marks.length, children: inlines(words) });
      at += 1;
    } else if (/^ {0,3}>/.test(line) && depth < DEEPEST) {
      const end = endOf(lines, at, (one) => /^ {0,3}>/.test(one));
      const inner = lines.slice(at, end).map((one) => one.replace(/^ {0,3}> ?/, ""));
      blocks.push({ kind: "quote", blocks: markdownBlocks(inner.join("\n"), depth + 1) });
      at = end;
    } else if (ITEM.test(line) && depth < DEEPEST) {
      const { block, end } = listFrom(lines, at, depth);
      blocks.push(block);
      at = end;
    } else {
      const end = endOf(lines, at + 1, (one) => one.trim() !== "" && !startsBlock(one));
      blocks.push({ kind: "paragraph", children: inlines(lines.slice(at, end).join("\n")) });
      at = end;
    }
  }
  return blocks;
}

const startsBlock = (line: string): boolean =>
  FENCE.test(line) ||
  HEADING.test(line) ||
  RULE.test(line) ||
  ITEM.test(line) ||
  /^ {0,3}>/.test(line);

function endOf(lines: readonly string[], from: number, goesOn: (line: string) => boolean): number {
  let at = from;
  while (at < lines.length && goesOn(lines[at] ?? "")) at += 1;
  return at;
}

/** A list: its items, each with whatever is indented under it. */
function listFrom(
  lines: readonly string[],
  from: number,
  depth: number,
): { block: Block; end: number } {
  const marker = ITEM.exec(lines[from] ?? "")?.[2] ?? "-";
  const ordered = /\d/.test(marker);
  const items: Block[][] = [];
  let at = from;
  while (at < lines.length) {
    const item = ITEM.exec(lines[at] ?? "");
    if (item === null || /\d/.test(item[2] ?? "") !== ordered) break;
    const indent = item[0].length;
    const body = [(lines[at] ?? "").slice(indent)];
    at += 1;
    while (at < lines.length) {
      const line = lines[at] ?? "";
      const under = /^\s*/.exec(line)?.[0].length ?? 0;
      const blankInside =
        line.trim() === "" &&
        /^\s{2,}\S/.test(lines[at + 1] ?? "") &&
        !ITEM.test(lines[at + 1] ?? "");
      const lazy = line.trim() !== "" && under === 0 && !startsBlock(line);
      if (under >= 2 && line.trim() !== "") body.push(line.slice(Math.min(under, indent)));
      else if (blankInside || lazy) body.push(line);
      else break;
      at += 1;
    }
    items.push(markdownBlocks(body.join("\n"), depth + 1));
    // A blank line between two items does not end the list.
    const following = ITEM.exec(lines[at + 1] ?? "");
    const goesOn = following !== null && /\d/.test(following[2] ?? "") === ordered;
    if ((lines[at] ?? "x").trim() === "" && goesOn) at += 1;
  }
  return {
    block: { kind: "list", ordered, start: ordered ? Number.parseInt(marker, 10) : 1, items },
    end: at,
  };
}

// Spans are bounded, so that a hostile reply full of opening marks cannot hold the page.
const INLINE =
  /(`{1,9})([^`]|[^`][\s\S]{0,2000}?[^`])\1(?!`)|\*\*(?=\S)([\s\S]{0,1000}?\S)\*\*|(?<![\w*])\*(?=[^\s*])([^*]{0,1000}?[^\s*])\*(?!\*)|(?<!\w)_(?=[^\s_])([^_]{0,1000}?[^\s_])_(?!\w)|\[([^[\]]{1,500})\]\(([^()\s]{1,2000})\)|(https?:\/\/[^\s<>"'`]{0,2000}[^\s<>"'`.,;:!?)\]}])/g;

/** Code, strength, emphasis and links of a text. Only web addresses and mail become links. */
export function inlines(text: string, depth = 0): Inline[] {
  if (depth > DEEPEST) return [{ kind: "text", text }];
  const found: Inline[] = [];
  let at = 0;
  for (const match of text.matchAll(INLINE)) {
    const [whole, , code, strong, star, underscore, label, target, bare] = match;
    if (match.index > at) found.push({ kind: "text", text: text.slice(at, match.index) });
    at = match.index + whole.length;
    const emphasis = star ?? underscore;
    if (code !== undefined) found.push({ kind: "code", text: code.trim() || code });
    else if (strong !== undefined)
      found.push({ kind: "strong", children: inlines(strong, depth + 1) });
    else if (emphasis !== undefined)
      found.push({ kind: "emphasis", children: inlines(emphasis, depth + 1) });
    else if (label !== undefined && target !== undefined && /^(https?:|mailto:)/i.test(target))
      found.push({ kind: "link", href: target, children: inlines(label, depth + 1) });
    else if (bare !== undefined)
      found.push({ kind: "link", href: bare, children: [{ kind: "text", text: bare }] });
    else found.push({ kind: "text", text: whole });
  }
  if (at < text.length) found.push({ kind: "text", text: text.slice(at) });
  return found;
}

/**
 * Cuts a text into pieces of at most `limit` UTF-16 units that joined give it again: after a line, else after a blank,
 * else between two characters; never inside one.
 */
export function splitText(text: string, limit: number): string[] {
  const pieces: string[] = [];
  let rest = text;
  while (rest.length > limit) {
    const window = rest.slice(0, limit);
    const line = window.lastIndexOf("\n") + 1;
    const blank = window.lastIndexOf(" ") + 1;
    // A line's end far at the front would make many small pieces.
    let at = line > limit / 2 ? line : blank > limit / 2 ? blank : limit;
    if (/[\uD800-\uDBFF]/.test(rest.charAt(at - 1)) && at > 1) at -= 1;
    pieces.push(rest.slice(0, at));
    rest = rest.slice(at);
  }
  return [...pieces, rest];
}

/** One dispatched event of an event stream; an event without a `data` line is never dispatched. */
export interface SseEvent {
  type: string;
  data: string;
}

/**
 * Reads an event stream by the rules of the HTML standard from bytes cut anywhere: a byte-order mark, comments,
 * LF, CR and CRLF ends, several `data` lines, characters split over reads. What is still unfinished at the end of
 * the stream is dropped, as the standard says, so half a character or half an event never surfaces.
 *
 * @returns a function that takes the next bytes and gives the events they complete.
 * @throws {RangeError} from the function, where one line or event exceeds `maxChars`.
 */
export function createSseReader(maxChars: number): (bytes: Uint8Array) => SseEvent[] {
  const decoder = new TextDecoder(); // drops one leading byte-order mark, holds back split characters
  let pending = "";
  let scanned = 0; // where the search for a line end goes on, so that long lines are not searched again
  let afterCr = false;
  let type = "";
  let lines: string[] = [];
  let eventChars = 0;

  function takeLine(line: string, events: SseEvent[]): void {
    if (line === "") {
      if (lines.length > 0) events.push({ type, data: lines.join("\n") });
      type = "";
      lines = [];
      eventChars = 0;
      return;
    }
    const colon = line.indexOf(":");
    const field = colon === -1 ? line : line.slice(0, colon); // "" for a comment
    const value = colon === -1 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "data") {
      lines.push(value);
      eventChars += value.length;
    } else if (field === "event") type = value;
  }

  return (bytes) => {
    const events: SseEvent[] = [];
    pending += decoder.decode(bytes, { stream: true });
    if (afterCr && pending !== "") {
      if (pending.startsWith("\n")) pending = pending.slice(1);
      afterCr = false;
    }
    let start = 0;
    for (let at = nextLineEnd(pending, scanned); at !== -1; at = nextLineEnd(pending, start)) {
      takeLine(pending.slice(start, at), events);
      start = at + 1;
      if (pending[at] === "\r") {
        if (start === pending.length) afterCr = true;
        else if (pending[start] === "\n") start++;
      }
    }
    pending = pending.slice(start);
    scanned = pending.length;
    if (pending.length + eventChars > maxChars) throw new RangeError("an event is too large");
    return events;
  };
}

function nextLineEnd(text: string, from: number): number {
  const lf = text.indexOf("\n", from);
  const cr = text.indexOf("\r", from);
  if (lf === -1 || cr === -1) return Math.max(lf, cr);
  return Math.min(lf, cr);
}

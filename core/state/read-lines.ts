import { closeSync, openSync, readSync } from "node:fs";

export interface FileLine {
  /** Null where the line is longer than is read. */
  text: string | null;
  /** Its length without the line break. */
  bytes: number;
  /** False for a last line that no line break ends: it may be half written. */
  ended: boolean;
}

const chunkBytes = 256 * 1024;

/**
 * The lines of a file, one at a time: nothing but the longest of them is ever in memory. Line breaks are LF or CRLF.
 *
 * @param longestBytes A longer line is passed over, its text null.
 */
export function* readLines(file: string, longestBytes = 64 * 1024 * 1024): Generator<FileLine> {
  const fd = openSync(file, "r");
  const chunk = Buffer.allocUnsafe(chunkBytes);
  let parts: Buffer[] = [];
  let bytes = 0;
  const line = (ended: boolean): FileLine => {
    const whole = bytes > longestBytes ? null : Buffer.concat(parts);
    const text = whole === null ? null : whole.toString("utf8").replace(/\r$/, "");
    const read = { text, bytes, ended };
    parts = [];
    bytes = 0;
    return read;
  };
  const add = (part: Buffer): void => {
    bytes += part.length;
    if (bytes > longestBytes) parts = [];
    else if (part.length > 0) parts.push(Buffer.from(part)); // the chunk is filled again
  };
  try {
    for (;;) {
      const read = readSync(fd, chunk, 0, chunk.length, null);
      if (read === 0) break;
      let from = 0;
      for (let at = chunk.indexOf(0x0a); at !== -1 && at < read; at = chunk.indexOf(0x0a, from)) {
        add(chunk.subarray(from, at));
        yield line(true);
        from = at + 1;
      }
      add(chunk.subarray(from, read));
    }
    if (bytes > 0) yield line(false);
  } finally {
    closeSync(fd);
  }
}

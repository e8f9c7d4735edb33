import { createInterface } from "node:readline/promises";

/** What a command sees of the world; tests give their own. */
export interface Terminal {
  /** Writes to standard output, as it is. */
  out(text: string): void;
  /** Writes to standard error, as it is. */
  err(text: string): void;
  readonly env: NodeJS.ProcessEnv;
  /** Whether a person sits at both ends. */
  readonly interactive: boolean;
  /** All of standard input. */
  readInput(): Promise<string>;
  /** One line of answer to a question on standard error. */
  ask(question: string): Promise<string>;
  nowMs(): number;
}

/** The process's own terminal. */
export const processTerminal: Terminal = {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  env: process.env,
  interactive: process.stdin.isTTY && process.stdout.isTTY,
  async readInput() {
    const chunks: Buffer[] = [];
    for await (const chunk of process.stdin as AsyncIterable<Buffer>) chunks.push(chunk);
    return Buffer.concat(chunks).toString("utf8");
  },
  async ask(question) {
    const lines = createInterface({ input: process.stdin, output: process.stderr });
    try {
      return await lines.question(question);
    } finally {
      lines.close();
    }
  },
  nowMs: () => Date.now(),
};

/**
 * Text of a stranger made safe for a terminal: control characters, which could move the cursor or rename
 * the window, become visible marks. Line breaks and tabs stay.
 */
export const harmless = (text: string): string =>
  text.replaceAll("\r\n", "\n").replace(/\p{C}/gu, (mark) => (SHOWN.has(mark) ? mark : "\u{fffd}"));

/** Line break, tab, soft hyphen, and the joiner that emoji are made with. */
const SHOWN = new Set(["\n", "\t", "\u{ad}", "\u{200d}"]);

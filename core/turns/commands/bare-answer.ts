/** How a question is answered: this once, from now on, not at all. */
export type Answer = "once" | "always" | "deny";

const words: Readonly<Record<string, Answer>> = {
  yes: "once",
  y: "once",
  ok: "once",
  okay: "once",
  once: "once",
  approve: "once",
  confirm: "once",
  always: "always",
  no: "deny",
  n: "deny",
  cancel: "deny",
  deny: "deny",
};

/** A message that is nothing but an answer (lifecycle 12.3); null for every other text. */
export function bareAnswer(text: string): Answer | null {
  const word = text.trim().replace(/[.!]$/u, "").toLowerCase();
  return Object.hasOwn(words, word) ? (words[word] ?? null) : null;
}

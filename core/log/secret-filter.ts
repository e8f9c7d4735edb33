/** Shorter values would black out ordinary words; no key or token is that short. */
const SHORTEST = 6;

export interface SecretFilter {
  /** From now on this value is replaced wherever it appears. Values under 6 characters are not taken. */
  add: (value: string) => void;
  /** The text with every known secret, in each spelling a log line may give it, replaced by `[secret]`. */
  clean: (text: string) => string;
}

/** Removes secrets by value: where a secret slips into a line does not matter, only that it is known. */
export function secretFilter(): SecretFilter {
  let known: string[] = [];
  return {
    add(value) {
      if (value.length < SHORTEST) return;
      const asJson = JSON.stringify(value).slice(1, -1);
      const spellings = [value, asJson, encodeURIComponent(value)];
      // Longest first: a secret that contains another is replaced whole.
      known = [...new Set([...known, ...spellings])].toSorted((a, b) => b.length - a.length);
    },
    clean(text) {
      let clean = text;
      for (const secret of known) clean = clean.replaceAll(secret, "[secret]");
      return clean;
    },
  };
}

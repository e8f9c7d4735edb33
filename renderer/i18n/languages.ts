/** Languages that are complete, with their own names. */
export const languages = { en: "English", de: "Deutsch" } as const;
export type Language = keyof typeof languages;

export const isLanguage = (value: unknown): value is Language =>
  typeof value === "string" && Object.hasOwn(languages, value);

/** The first wish of the browser that the panel speaks, else English. */
export function preferredLanguage(wishes: readonly string[]): Language {
  for (const wish of wishes) {
    const base = wish.split("-")[0];
    if (isLanguage(base)) return base;
  }
  return "en";
}

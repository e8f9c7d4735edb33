import i18next, { type TFunction } from "i18next";
import { useSyncExternalStore } from "react";

function subscribe(listener: () => void): () => void {
  i18next.on("languageChanged", listener);
  return () => {
    i18next.off("languageChanged", listener);
  };
}

const language = (): string => i18next.language;

/**
 * The translator and the language, for what is drawn hundreds of times a second: cells, rows, chips. Elsewhere
 * `useTranslation` does the same and can more, at a price that shows only there.
 */
export function useWords(): { t: TFunction; language: string } {
  return { t: i18next.t, language: useSyncExternalStore(subscribe, language) };
}

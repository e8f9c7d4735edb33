import i18next, { createInstance, type i18n } from "i18next";
import { initReactI18next } from "react-i18next";
import { en, type Locale } from "../locales/en.ts";
import type { Language } from "./languages.ts";

declare module "i18next" {
  interface CustomTypeOptions {
    defaultNS: "panel";
    resources: { panel: Locale };
    returnNull: false;
  }
}

/** Starts the panel's texts. English is at hand at once; another language is loaded when it is chosen. */
export async function startTexts(language: Language): Promise<i18n> {
  await i18next.use(initReactI18next).init({
    lng: "en",
    fallbackLng: "en",
    defaultNS: "panel",
    ns: ["panel"],
    resources: { en: { panel: en } },
    interpolation: { escapeValue: false }, // React escapes
    returnNull: false,
  });
  await speak(language);
  return i18next;
}

/** Switches the language of the whole panel, and of the document, so that screen readers pronounce it right. */
export async function speak(language: Language): Promise<void> {
  if (language === "de" && !i18next.hasResourceBundle("de", "panel")) {
    const { de } = await import("../locales/de.ts");
    i18next.addResourceBundle("de", "panel", de);
  }
  await i18next.changeLanguage(language);
  if (typeof document !== "undefined") document.documentElement.lang = language;
}

/** English texts by themselves, for tests of parts that take a translator. */
export function englishTexts(): i18n {
  const instance = createInstance();
  void instance.init({
    lng: "en",
    defaultNS: "panel",
    ns: ["panel"],
    resources: { en: { panel: en } },
    interpolation: { escapeValue: false },
    returnNull: false,
    initAsync: false,
  });
  return instance;
}

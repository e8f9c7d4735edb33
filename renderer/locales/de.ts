import { views } from "./de/views.ts";
import type { Locale } from "./en.ts";
import { en } from "./en.ts";

/** Being translated. */
export const de: Locale = { ...en, ...views };

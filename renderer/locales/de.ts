import type { Locale } from "./en.ts";
import { en } from "./en.ts";

/** Being translated. */
export const de: Locale = en;

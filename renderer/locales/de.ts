import { common } from "./de/common.ts";
import { sessions } from "./de/sessions.ts";
import { shell } from "./de/shell.ts";
import { views } from "./de/views.ts";
import type { Locale } from "./en.ts";

/** German. Loaded when it is chosen. */
export const de: Locale = {
  ...common,
  ...shell,
  ...sessions,
  ...views,
  ask: { ...common.ask, ...sessions.ask },
};

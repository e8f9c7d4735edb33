import { common } from "./en/common.ts";
import { sessions } from "./en/sessions.ts";
import { shell } from "./en/shell.ts";
import { views } from "./en/views.ts";

/** The reference locale: every key there is. Ids, kinds and codes are never translated (ux.md 9). */
export const en = {
  ...common,
  ...shell,
  ...sessions,
  ...views,
  ask: { ...common.ask, ...sessions.ask },
};
export type Locale = typeof en;

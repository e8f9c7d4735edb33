import type { shell } from "../locales/en/shell.ts";

/** Everything a key, a menu or the palette can ask for. Its words stand under `command.` in the locales. */
export type CommandId = keyof (typeof shell)["command"];

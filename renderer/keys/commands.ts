import type { TFunction } from "i18next";
import type { shell } from "../locales/en/shell.ts";
import type { ScreenId } from "../shell/screens.ts";

type Named = keyof (typeof shell)["command"];

/** Everything a key, a menu or the palette can ask for: going to a screen, or what stands under `command.` in the locales. */
export type CommandId = Named | `go.${ScreenId}`;

const isGoing = (id: CommandId): id is `go.${ScreenId}` => id.startsWith("go.");

/** What a command is called. Going somewhere is called like the place. */
export function commandWords(id: CommandId, t: TFunction): string {
  if (!isGoing(id)) return t(`command.${id}`);
  const screen = id.slice("go.".length) as ScreenId; // by its type
  return t(`screen.${screen}`);
}

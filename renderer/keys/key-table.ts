import type { CommandId } from "./commands.ts";
import { screens } from "../shell/screens.ts";

/** Where a key works: everywhere, or only while a list or table has the focus. */
export type KeyScope = "app" | "list";

export interface KeyBinding {
  command: CommandId;
  /**
   * `mod` is ⌘ on a Mac and Ctrl elsewhere. A space makes a sequence (`g s`). A capital stands for Shift and that
   * letter. The first is the one that tooltips and menus show.
   */
  keys: readonly string[];
  scope: KeyScope;
}

const app = (command: CommandId, ...keys: string[]): KeyBinding => ({
  command,
  keys,
  scope: "app",
});
const list = (command: CommandId, ...keys: string[]): KeyBinding => ({
  command,
  keys,
  scope: "list",
});

/** All keys of the panel. The handler, the tooltips, the menus and the `?` sheet read this one table (ux.md 4). */
export const keyTable: readonly KeyBinding[] = [
  app("app.palette", "mod+k"),
  ...screens.map((screen, index) =>
    app(`go.${screen.id}`, `mod+${index + 1}`, `g ${screen.letter}`),
  ),
  app("go.settings", "mod+,"),
  app("app.filter", "mod+f", "/"),
  app("app.rail", "mod+b"),
  app("app.inspector", "mod+j"),
  app("app.notices", "mod+."),
  app("app.undo", "mod+z"),
  app("app.refresh", "mod+r"),
  app("app.live", "mod+shift+l"),
  app("app.nextRegion", "f6"),
  app("app.previousRegion", "shift+f6"),
  app("app.back", "escape"),
  app("app.shortcuts", "?"),
  app("app.timeForm", "t"),
  list("row.next", "j", "arrowdown"),
  list("row.previous", "k", "arrowup"),
  list("row.first", "g g", "home"),
  list("row.last", "G", "end"),
  list("row.pageDown", "pagedown"),
  list("row.pageUp", "pageup"),
  list("row.open", "enter"),
  list("row.peek", "space"),
  list("row.select", "x"),
  list("row.extendDown", "J", "shift+arrowdown"),
  list("row.extendUp", "K", "shift+arrowup"),
  list("row.selectAll", "mod+a"),
  list("tab.previous", "["),
  list("tab.next", "]"),
  list("session.new", "n"),
  list("session.suspend", "s"),
  list("session.unsuspend", "u"),
  list("session.reset", "r"),
  list("session.stop", "c"),
  list("session.logs", "l"),
  list("session.copyId", "y"),
  list("session.copyLink", "Y"),
];

/** The shortcut that tooltips and menus show for a command, if it has one. */
export const shownKeys = (command: CommandId): string | undefined =>
  keyTable.find((binding) => binding.command === command)?.keys[0];

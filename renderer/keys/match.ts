import type { CommandId } from "./commands.ts";
import type { KeyBinding } from "./key-table.ts";

/** One press of a key, as much of it as matters. */
export interface Press {
  /** `KeyboardEvent.key`. */
  key: string;
  mod: boolean;
  shift: boolean;
  alt: boolean;
}

export interface KeyContext {
  /** The focus is in a text field, which owns all its keys. */
  inText: boolean;
  /** The focus is in a list or table. */
  inList: boolean;
  /** Bare letters and signs are on. */
  singleKeys: boolean;
  /** The first press of a sequence, still waiting for the second. */
  pending: string | null;
}

export type Match =
  { kind: "command"; command: CommandId } | { kind: "pending"; first: string } | null;

/** Keys that a text field needs for itself although they carry a modifier. */
const textKeys = new Set(["mod+a", "mod+z"]);
const named = new Set(["escape", "f6", "shift+f6"]);
const navigation = /^(shift\+)?(arrow|home|end|page|enter|space)/;

/** The press in the notation of the table. A printed sign carries its Shift in itself: `?`, `G`. */
export function pressName({ key, mod, shift, alt }: Press): string {
  const printed = key.length === 1 && key !== " ";
  const name = key === " " ? "space" : printed && !mod ? key : key.toLowerCase();
  const withShift = shift && (mod || !printed);
  return `${mod ? "mod+" : ""}${alt ? "alt+" : ""}${withShift ? "shift+" : ""}${name}`;
}

/** A bare letter or sign, which WCAG 2.1.4 wants only in a focused component, and able to be turned off. */
const isSingle = (name: string): boolean =>
  !name.startsWith("mod+") && !named.has(name) && !navigation.test(name);

/** Which command a press means, or that it begins a sequence, or nothing. */
export function matchPress(
  table: readonly KeyBinding[],
  press: Press,
  { inText, inList, singleKeys, pending }: KeyContext,
): Match {
  const name = pressName(press);
  if (inText && (isSingle(name) || navigation.test(name) || textKeys.has(name))) return null;
  if (isSingle(name) && !(singleKeys && inList)) return null;
  const open = table.filter(({ scope }) => scope === "app" || inList);
  const whole = pending === null ? name : `${pending} ${name}`;
  const hit = open.find(({ keys }) => keys.includes(whole));
  if (hit !== undefined) return { kind: "command", command: hit.command };
  const begins = open.some(({ keys }) => keys.some((one) => one.startsWith(`${name} `)));
  if (pending === null && begins) return { kind: "pending", first: name };
  // A sequence that leads nowhere is forgotten, and its last press stands for itself.
  return pending === null
    ? null
    : matchPress(table, press, { inText, inList, singleKeys, pending: null });
}

const symbols: Record<string, [mac: string, other: string]> = {
  mod: ["⌘", "Ctrl"],
  shift: ["⇧", "Shift"],
  alt: ["⌥", "Alt"],
  enter: ["↩", "Enter"],
  escape: ["esc", "Esc"],
  space: ["Space", "Space"],
  arrowdown: ["↓", "↓"],
  arrowup: ["↑", "↑"],
  pagedown: ["⇟", "PgDn"],
  pageup: ["⇞", "PgUp"],
  home: ["↖", "Home"],
  end: ["↘", "End"],
};

/** The key caps of a shortcut as the platform prints them; a sequence gives several presses. */
export function keyCaps(keys: string, mac: boolean): string[][] {
  return keys.split(" ").map((press) => {
    if (press === "+") return ["+"];
    return press.split("+").flatMap((part) => {
      const symbol = symbols[part];
      if (symbol !== undefined) return [mac ? symbol[0] : symbol[1]];
      const capital = part.length === 1 && part !== part.toLowerCase();
      if (capital) return [mac ? "⇧" : "Shift", part];
      return [part.toUpperCase()];
    });
  });
}

import { describe, expect, test } from "vitest";
import { englishTexts } from "../i18n/i18n.ts";
import { commandWords } from "./commands.ts";
import { keyTable } from "./key-table.ts";
import { keyCaps, matchPress, pressName, type KeyContext, type Press } from "./match.ts";

const press = (key: string, more: Partial<Press> = {}): Press => ({
  key,
  mod: false,
  shift: false,
  alt: false,
  ...more,
});
const inList: KeyContext = { inText: false, inList: true, singleKeys: true, pending: null };

describe("the table", () => {
  test("no two bindings that can work at once share keys", () => {
    const seen = new Map<string, string>();
    for (const { command, keys } of keyTable)
      for (const one of keys) {
        expect(seen.get(one), `${one} of ${command}`).toBeUndefined();
        seen.set(one, command);
      }
  });

  test("no single key is the first of a sequence", () => {
    const all = keyTable.flatMap(({ keys }) => keys);
    for (const first of all.filter((one) => one.includes(" ")).map((one) => one.split(" ")[0]))
      expect(all).not.toContain(first);
  });

  test("every binding has words", () => {
    const { t } = englishTexts();
    for (const { command } of keyTable)
      expect(commandWords(command, t)).not.toMatch(/[a-z]\.[a-z]/);
  });
});

describe("pressing", () => {
  test.each([
    [press("j"), "j"],
    [press("G", { shift: true }), "G"],
    [press("?", { shift: true }), "?"],
    [press("K", { mod: true, shift: true }), "mod+shift+k"],
    [press("k", { mod: true }), "mod+k"],
    [press(" "), "space"],
    [press("ArrowDown", { shift: true }), "shift+arrowdown"],
    [press("F6"), "f6"],
  ])("%o is %s", (one, name) => {
    expect(pressName(one)).toBe(name);
  });

  const command = (key: Press, context: Partial<KeyContext> = {}) => {
    const match = matchPress(keyTable, key, { ...inList, ...context });
    return match?.kind === "command" ? match.command : match;
  };

  test("letters work in a list, and nowhere else", () => {
    expect(command(press("s"))).toBe("session.suspend");
    expect(command(press("s"), { inList: false })).toBeNull();
    expect(command(press("/"), { inList: false })).toBeNull();
  });

  test("letters can be switched off; arrows, Enter and modified keys stay", () => {
    const off = { singleKeys: false };
    expect(command(press("j"), off)).toBeNull();
    expect(command(press("?"), off)).toBeNull();
    expect(command(press("ArrowDown"), off)).toBe("row.next");
    expect(command(press("Enter"), off)).toBe("row.open");
    expect(command(press("k", { mod: true }), off)).toBe("app.palette");
  });

  test("a text field owns its keys; the palette, regions and Esc still work in it", () => {
    const text = { inText: true };
    for (const key of ["j", "Enter", " ", "ArrowDown", "?"])
      expect(command(press(key), text)).toBeNull();
    for (const key of ["a", "z"]) expect(command(press(key, { mod: true }), text)).toBeNull();
    expect(command(press("k", { mod: true }), text)).toBe("app.palette");
    expect(command(press("F6"), text)).toBe("app.nextRegion");
    expect(command(press("Escape"), text)).toBe("app.back");
  });

  test("a sequence takes two presses", () => {
    expect(command(press("g"))).toEqual({ kind: "pending", first: "g" });
    expect(command(press("s"), { pending: "g" })).toBe("go.sessions");
    expect(command(press("g"), { pending: "g" })).toBe("row.first");
  });

  test("a sequence that leads nowhere is forgotten, its last press is not", () => {
    expect(command(press("x"), { pending: "g" })).toBe("row.select");
    expect(command(press("%"), { pending: "g" })).toBeNull();
  });

  test("alt makes another key of it", () => {
    expect(command(press("j", { alt: true }))).toBeNull();
  });
});

describe("key caps", () => {
  test.each([
    ["mod+k", true, [["⌘", "K"]]],
    ["mod+shift+l", false, [["Ctrl", "Shift", "L"]]],
    ["g s", false, [["G"], ["S"]]],
    ["G", false, [["Shift", "G"]]],
    ["mod+.", true, [["⌘", "."]]],
  ] as const)("%s (mac: %s)", (keys, mac, caps) => {
    expect(keyCaps(keys, mac)).toEqual(caps);
  });
});

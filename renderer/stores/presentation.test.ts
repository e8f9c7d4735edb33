import { expect, test } from "vitest";
import { presentationStore, readPresentation, shownTheme } from "./presentation.ts";

test("nothing kept gives the defaults, in a language the browser wishes for", () => {
  expect(readPresentation(null, ["fr-CH", "de-AT"])).toMatchObject({
    theme: "system",
    density: "compact",
    timeForm: "relative",
    language: "de",
    singleKeys: true,
  });
});

test.each([
  "",
  "null",
  "[]",
  "{",
  '{"theme":"pink","density":4,"inspectorWidth":9,"mutedToasts":3}',
])("damaged or foreign, it still reads: %s", (text) => {
  expect(readPresentation(text, [])).toEqual(readPresentation(null, []));
});

test("what is changed is kept and read back", () => {
  let kept = "";
  const { store, actions } = presentationStore(readPresentation(null, []), (text) => {
    kept = text;
  });
  actions.set({ density: "comfortable", singleKeys: false, mutedToasts: ["watch"] });
  actions.cycleTime();
  actions.cycleTheme();
  expect(readPresentation(kept, [])).toEqual(store.getState());
  expect(store.getState()).toMatchObject({ timeForm: "local", theme: "light" });
});

test("system follows the system", () => {
  expect(shownTheme("system", true)).toBe("dark");
  expect(shownTheme("light", true)).toBe("light");
});

import { expect, test } from "vitest";
import { dispatcher } from "./dispatcher.ts";

/** As much of an element as the dispatcher looks at. */
function element(parent: Element | null): Element {
  const made = {
    parentElement: parent,
    contains: (other: Element) => {
      for (let at: Element | null = other; at !== null; at = at.parentElement)
        if (at === (made as unknown)) return true;
      return false;
    },
  };
  return made as unknown as Element;
}

test("the innermost part answers first, the app last, and who declines passes it on", () => {
  const page = element(null);
  const table = element(page);
  const row = element(table);
  const { register, dispatch } = dispatcher();
  const said: string[] = [];
  const say = (name: string, mine = true) => ({
    "app.back": () => {
      said.push(name);
      return mine;
    },
  });
  register("app", say("app"));
  const closeView = register("view", say("view", false));
  register(page, say("page"));
  const leave = register(table, say("table", false));
  expect(dispatch("app.back", row)).toBe(true);
  expect(said.splice(0)).toEqual(["table", "page"]);
  leave();
  dispatch("app.back", null);
  expect(said.splice(0)).toEqual(["view", "app"]);
  closeView();
  dispatch("app.back", null);
  expect(said.splice(0)).toEqual(["app"]);
  expect(dispatch("row.next", row)).toBe(false);
});

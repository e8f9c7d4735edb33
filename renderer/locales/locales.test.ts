import { describe, expect, test } from "vitest";
import { de } from "./de.ts";
import { en } from "./en.ts";

/** Every text by its whole key. */
function texts(tree: object, path = ""): Map<string, string> {
  const found = new Map<string, string>();
  for (const [name, value] of Object.entries(tree)) {
    const key = path === "" ? name : `${path}.${name}`;
    if (typeof value === "string") found.set(key, value);
    else for (const [inner, text] of texts(value as object, key)) found.set(inner, text);
  }
  return found;
}

const variables = (text: string) =>
  [...text.matchAll(/\{\{(\w+)\}\}/g)]
    .map(([, name = ""]) => name)
    .toSorted((a, b) => a.localeCompare(b));
const english = texts(en);
const german = texts(de);

describe("the locales", () => {
  test("German has every key, and no other", () => {
    expect([...german.keys()].toSorted()).toEqual([...english.keys()].toSorted());
  });

  test("no text is empty, and each uses the variables of its English", () => {
    for (const [key, text] of english) {
      const other = german.get(key) ?? "";
      expect(other.trim(), key).not.toBe("");
      expect(variables(other), key).toEqual(variables(text));
    }
  });

  test("every plural has both forms", () => {
    for (const key of english.keys()) {
      if (key.endsWith("_one")) expect(english.has(key.replace(/_one$/, "_other")), key).toBe(true);
      if (key.endsWith("_other"))
        expect(english.has(key.replace(/_other$/, "_one")), key).toBe(true);
    }
  });

  test("German is German: hardly a sentence is the same", () => {
    const sentences = [...english].filter(([, text]) => text.split(" ").length > 3);
    const same = sentences.filter(([key, text]) => german.get(key) === text);
    expect(same.map(([key]) => key)).toEqual([]);
  });
});

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { gathered, jsonMembers } from "./json-members.ts";

const read = (text: string) => gathered(jsonMembers(text));

describe("members of an object", () => {
  test("are what JSON.parse sees, for every object, however it is laid out", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue()),
        fc.constantFrom(undefined, 2, "\t"),
        (object, indent) => {
          const { items, end } = read(JSON.stringify(object, null, indent));
          expect(end).toBe(true);
          const parsed = items.map(({ key, raw }) => [key, JSON.parse(raw) as unknown]);
          expect(parsed).toEqual(Object.entries(JSON.parse(JSON.stringify(object)) as object));
        },
      ),
    );
  });

  test("a cut text gives its first members whole, and of the last only what was whole in it", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }),
        fc.double({ min: 0, max: 0.9999, noNaN: true }),
        (object, share) => {
          const text = JSON.stringify(object);
          const { items, end } = read(text.slice(0, Math.floor(text.length * share)));
          expect(end).toBe(false);
          const whole = Object.entries(JSON.parse(text) as object);
          for (const [index, item] of items.entries()) {
            const value: unknown = JSON.parse(item.raw);
            expect(item.key).toBe(whole[index]![0]);
            if (item.whole) expect(value).toEqual(whole[index]![1]);
            else expect(index).toBe(items.length - 1);
          }
        },
      ),
    );
  });

  test("a member that the cut went through is left out, not guessed", () => {
    const { items } = read('{"a": {"id": "x", "n": 12, "to": {"chan');
    expect(items).toEqual([{ key: "a", raw: '{"id": "x", "n": 12}', whole: false }]);
    expect(read('{"a": {"n": 12').items[0]!.raw).toBe("{}");
    expect(read('{"a": {"n": "12"').items[0]!.raw).toBe("{}");
    expect(read('{"a": [1, [2, 3').items[0]!.raw).toBe("[1, [2]]");
  });

  test.each(["", "null", "[1]", '"x"', "{", '{"a"', '{"a":1} x', '{"a":1,}', "{a:1}", "\u0000"])(
    "%j is not whole",
    (text) => {
      expect(read(text).end).toBe(false);
    },
  );

  test("a byte-order mark is passed over", () => {
    expect(read('\ufeff{"a":1}')).toEqual({
      items: [{ key: "a", raw: "1", whole: true }],
      end: true,
    });
  });

  test("any text ends", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
        expect(typeof read(`{${text}`).end).toBe("boolean");
      }),
    );
  });
});

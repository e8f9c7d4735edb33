import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findTerms, fold, parseQuery, snippetOf } from "./search-text.ts";

const found = (text: string, query: string): string[] | null =>
  findTerms(text, parseQuery(query))?.map(({ start, end }) => text.slice(start, end)) ?? null;

describe("a query", () => {
  test.each([
    ["deploy the build", "build deploy", ["deploy", "build"]],
    ["deployed", "deploy", null],
    ["Deployed twice", "deploy*", ["Deployed"]],
    ["Élan vital", "elan", ["Élan"]],
    ["the build is red", '"build is"', ["build is"]],
    ["the build, is red", '"build is"', ["build, is"]],
    ["is build", '"build is"', null],
    ["version 1.2.10", "1.2*", ["1.2"]],
    ["v1.2 and deploy_now", "deploy", ["deploy"]],
    ["東京で会議をする", "会議", ["会議"]],
    ["東京タワー TOWER", "tower 東京", ["東京", "TOWER"]],
    ["안녕하세요 회의를 합시다", "회의", ["회의"]],
    ["x -> y", "->", ["->"]],
    ["a OR b", "a OR b", ["a", "OR", "b"]],
    ["NEAR(a)", "NEAR(a", ["NEAR(a"]],
    ["स्वागत है", "स्वागत", ["स्वागत"]],
    ['open "quote', '"quote', ["quote"]],
  ])("in %j, %j finds %j", (text, query, places) => {
    expect(found(text, query)).toEqual(places);
  });

  test.each(["", "  ", '""', '"'])("%j asks for nothing", (query) => {
    expect(parseQuery(query)).toEqual([]);
  });

  test("every word of a text is found in it, at its place", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 80 }), (text) => {
        for (const word of text.match(/[\p{L}\p{N}]+/gu) ?? []) {
          const [term] = parseQuery(`"${word}"`);
          const spans = findTerms(text, [term!]);
          // Cut out of its neighbours (marks, joined scripts) a word may be no word any more.
          for (const { start, end } of spans ?? [])
            expect(fold(text.slice(start, end))).toContain(fold(word));
        }
      }),
    );
  });
});

describe("a snippet", () => {
  test("is one line around the first place, and its matches point into it", () => {
    const text = `${"word ".repeat(100)}NEEDLE\nin the ${"hay ".repeat(100)}`;
    const { snippet, matches } = snippetOf(text, findTerms(text, parseQuery("needle hay"))!);
    expect(snippet).toMatch(/^….*NEEDLE in the.*…$/);
    expect(snippet.length).toBeLessThan(210);
    expect(new Set(matches.map(({ start, end }) => snippet.slice(start, end)))).toEqual(
      new Set(["NEEDLE", "hay"]),
    );
  });

  test("no place falls out of the snippet, no character is cut", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme", maxLength: 400 }),
        fc.nat(400),
        fc.nat(10),
        (text, at, length) => {
          const start = Math.min(at, text.length);
          const span = { start, end: Math.min(text.length, start + length) };
          const { snippet, matches } = snippetOf(text, [span]);
          for (const match of matches)
            expect(snippet.slice(match.start, match.end)).toBe(
              text.slice(span.start, span.end).replace(/\s/g, " "),
            );
          if (text.isWellFormed()) expect(snippet.isWellFormed()).toBe(true);
        },
      ),
    );
  });
});

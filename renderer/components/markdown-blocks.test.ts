import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { inlines, markdownBlocks, type Block, type Inline } from "./markdown-blocks.ts";

const plain = (text: string): Inline => ({ kind: "text", text });
const paragraph = (text: string): Block => ({ kind: "paragraph", children: [plain(text)] });

describe("blocks", () => {
  test("paragraphs, headings, rules and code", () => {
    expect(markdownBlocks("# Title\n\nOne\ntwo\n\n---\n```ts\nconst a = 1;\n\n```\nend")).toEqual([
      { kind: "heading", level: 1, children: [plain("Title")] },
      paragraph("One\ntwo"),
      { kind: "rule" },
      { kind: "code", language: "ts", text: "const a = 1;\n" },
      paragraph("end"),
    ]);
  });

  test("a fence that is still open ends with the text", () => {
    expect(markdownBlocks("```\nhalf")).toEqual([{ kind: "code", language: "", text: "half" }]);
  });

  test("lists nest and hold paragraphs", () => {
    expect(markdownBlocks("- a\n- b\n  - c\n\n    more\n\nafter")).toMatchObject([
      {
        kind: "list",
        ordered: false,
        items: [
          [paragraph("a")],
          [paragraph("b"), { kind: "list", items: [[paragraph("c"), paragraph("more")]] }],
        ],
      },
      paragraph("after"),
    ]);
    expect(markdownBlocks("3. c\n\n4. d")).toMatchObject([
      { kind: "list", ordered: true, start: 3, items: [[paragraph("c")], [paragraph("d")]] },
    ]);
  });

  test("quotes hold blocks", () => {
    expect(markdownBlocks("> a\n>\n> - b")).toMatchObject([
      { kind: "quote", blocks: [paragraph("a"), { kind: "list" }] },
    ]);
  });

  test("tags are text", () => {
    expect(markdownBlocks("<script>alert(1)</script>")).toEqual([
      paragraph("<script>alert(1)</script>"),
    ]);
  });

  test("any text ends, and deep nesting too", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...Array.from("ab \n>-*`_#1.[]()")), maxLength: 200 }),
        (text) => {
          expect(Array.isArray(markdownBlocks(text))).toBe(true);
        },
      ),
    );
    expect(markdownBlocks(">".repeat(5_000)).length).toBeGreaterThan(0);
  });

  test("a long reply is read quickly", () => {
    const text = "A line with `code`, **weight** and _more_, then a*b*c.\n".repeat(1_200);
    const before = performance.now();
    markdownBlocks(text);
    markdownBlocks("**a **b ".repeat(8_000));
    expect(performance.now() - before).toBeLessThan(1_000);
  });
});

describe("inside a line", () => {
  test.each<[string, Inline[]]>([
    ["a `b` c", [plain("a "), { kind: "code", text: "b" }, plain(" c")]],
    ["``a ` b``", [{ kind: "code", text: "a ` b" }]],
    [
      "**x _y_**",
      [{ kind: "strong", children: [plain("x "), { kind: "emphasis", children: [plain("y")] }] }],
    ],
    ["snake_case_name", [plain("snake_case_name")]],
    ["2 * 3 * 4", [plain("2 * 3 * 4")]],
    [
      "[a](https://a.example/x)",
      [{ kind: "link", href: "https://a.example/x", children: [plain("a")] }],
    ],
    ["[a](javascript:alert(1))", [plain("[a](javascript:alert(1))")]],
    [
      "see https://a.example/x.",
      [
        plain("see "),
        { kind: "link", href: "https://a.example/x", children: [plain("https://a.example/x")] },
        plain("."),
      ],
    ],
  ])("%s", (text, expected) => {
    expect(inlines(text)).toEqual(expected);
  });
});

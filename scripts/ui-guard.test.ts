import { describe, expect, test } from "vitest";
import { cssFaults, tsxFaults, uiFaults } from "./ui-guard.ts";

const inCss = (text: string) => cssFaults("a.css", text).map(({ found }) => found);
const inTsx = (text: string) => tsxFaults("a.tsx", text).map(({ found }) => found);

describe("stylesheets", () => {
  test.each([
    ["color: #fff;", ["#fff"]],
    ["background: rgb(0 0 0 / 10%);", ["rgb("]],
    ["padding: 4px var(--space-8);", ["4px"]],
    ["margin: -0.5rem;", ["-0.5rem"]],
    ["transition: opacity 120ms, transform 0.2s;", ["120ms", "0.2s"]],
  ])("%s is refused", (text, found) => {
    expect(inCss(`.a { ${text} }`)).toEqual(found);
  });

  test.each([
    "color: var(--text); padding: 0 var(--space-8);",
    "inline-size: 40%; max-block-size: 70vh; min-inline-size: 16ch; flex: 1 1 0;",
    "background: color-mix(in srgb, var(--own) var(--tint), transparent);",
    "/* 4px of #fff for 2s */ opacity: 0.5; z-index: var(--layer-popup);",
    "grid-area: a2s;",
  ])("%s passes", (text) => {
    expect(inCss(`.a { ${text} }`)).toEqual([]);
  });

  test("a query may speak in em, which is a proportion", () => {
    expect(inCss("@container (inline-size < 46em) {\n.a { margin: 2px; }\n}")).toEqual(["2px"]);
  });
});

describe("components", () => {
  test.each([
    ["<p>Hello there</p>", ["Hello there"]],
    ['<a href="/x">\n  Go there\n</a>', ["Go there"]],
    ['<input placeholder="Your name" />', ["Your name"]],
    ['<Icon aria-label="Close" />', ["Close"]],
    ['<path fill="#fff" />', ["#fff"]],
  ])("%s is refused", (text, found) => {
    expect(inTsx(text)).toEqual(found);
  });

  test.each([
    '<p>{t("a.b")}</p>',
    '<input placeholder={t("a.b")} className="wide" />',
    "const a = useRef<HTMLDivElement>(null);\nconst b: Map<string, number> = new Map<string, number>();",
    "<p>{a} · {b}</p>",
    '<input placeholder="https://models.example/v1" />',
    "const shapes = { a: <rect />,\n triangle: <path /> };",
    "// <p>Hello there</p>\nconst x = 1;",
  ])("%s passes", (text) => {
    expect(inTsx(text)).toEqual([]);
  });
});

test("the panel keeps to its tokens and texts", () => {
  expect(uiFaults()).toEqual([]);
});

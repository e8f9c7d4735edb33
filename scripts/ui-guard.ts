import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { ROOT } from "./paths.ts";

/** Something in the panel's sources that bypasses the tokens or the texts. */
export interface UiFault {
  file: string;
  line: number;
  /** What was found, as written. */
  found: string;
  /** What to do instead. */
  rule: string;
}

const TOKENS = "renderer/theme/tokens.css";

const cssRules: { pattern: RegExp; rule: string }[] = [
  {
    pattern: /#[0-9a-f]{3,8}\b|\b(?:rgba?|hsla?|oklch|oklab|lab|lch)\(/gi,
    rule: `a colour belongs into ${TOKENS}`,
  },
  {
    // Characters, lines, shares and viewport units are proportions; points on a screen are sizes.
    pattern: /(?<![\w.#-])-?\d*\.?\d+(?:px|rem|pt|cm|mm|in)\b/g,
    rule: `a size belongs into ${TOKENS}`,
  },
  { pattern: /(?<![\w.#-])\d*\.?\d+m?s\b/g, rule: `a duration belongs into ${TOKENS}` },
];

/** A query of the surroundings has no access to tokens; `em` keeps it a proportion. */
const isQuery = (line: string): boolean => /^\s*@(?:media|container)/.test(line);
/** Hiding for the eye alone needs the smallest box there is. */
const isQuiet = (line: string): boolean => /(?:inline|block)-size: 1px;/.test(line);

/** Checks one stylesheet. Comments are not looked into. */
export function cssFaults(file: string, text: string): UiFault[] {
  const bare = text.replace(/\/\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\n]/g, " "));
  return bare.split("\n").flatMap((line, index) => {
    if (isQuery(line) || isQuiet(line)) return [];
    return cssRules.flatMap(({ pattern, rule }) =>
      [...line.matchAll(pattern)].map(([found]) => ({ file, line: index + 1, found, rule })),
    );
  });
}

/** Attributes whose words a person reads or hears. */
const spoken =
  /\b(?:aria-label|label|title|placeholder|alt)="(?![a-z]+:\/\/)([^"{}]*[A-Za-z]{2}[^"{}]*)"/g;
/** Words between tags, where a text by key should stand. */
const between =
  /(?<=[\w"'}/]>)\s*([^<>{}=;(),\s][^<>{}=;()]*[A-Za-z]{3}[^<>{}=;()]*?)\s*(?=<\/?[A-Za-z])/g;

/** Checks one component: raw words, raw colours. Comments and type arguments are not looked into. */
export function tsxFaults(file: string, text: string): UiFault[] {
  const bare = text
    .replace(/\/\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\n]/g, " "))
    .replace(/(^|\s)\/\/[^\n]*/g, "$1");
  const lineOf = (at: number): number => bare.slice(0, at).split("\n").length;
  const faults = (pattern: RegExp, rule: string): UiFault[] =>
    [...bare.matchAll(pattern)].map((match) => ({
      file,
      line: lineOf(match.index),
      found: (match[1] ?? match[0]).trim(),
      rule,
    }));
  return [
    ...faults(spoken, "words belong into the locales: t(…)"),
    ...faults(between, "words belong into the locales: t(…)"),
    ...faults(/["'](#[0-9a-f]{3,8})["']/gi, `a colour belongs into ${TOKENS}`),
  ];
}

/** Everything in the panel's sources that bypasses the tokens or the texts. */
export function uiFaults(root: string = ROOT): UiFault[] {
  const files = globSync("renderer/**/*.{css,tsx}", { cwd: root }).map((file) =>
    file.replaceAll("\\", "/"),
  );
  return files.toSorted().flatMap((file) => {
    if (file === TOKENS || file.includes(".test.")) return [];
    const text = readFileSync(join(root, file), "utf8");
    return file.endsWith(".css") ? cssFaults(file, text) : tsxFaults(file, text);
  });
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const faults = uiFaults();
  for (const { file, line, found, rule } of faults)
    process.stderr.write(`${file}:${line}: ${JSON.stringify(found)}: ${rule}\n`);
  process.exitCode = faults.length === 0 ? 0 : 1;
}

import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ROOT } from "./paths.ts";

/** One import, from one file, and whether the wall lets it through. */
const walls: { from: string; imports: string; passes: boolean }[] = [
  { from: "core/turns/a.ts", imports: "electron", passes: false },
  { from: "core/turns/a.ts", imports: "electron/main", passes: false },
  { from: "core/turns/a.ts", imports: "react", passes: false },
  { from: "core/turns/a.ts", imports: "zustand/vanilla", passes: false },
  { from: "core/turns/a.ts", imports: "../../renderer/stores/x.ts", passes: false },
  { from: "core/turns/a.ts", imports: "../../electron/main.ts", passes: false },
  { from: "core/turns/a.ts", imports: "node:fs", passes: true },
  { from: "core/turns/a.ts", imports: "../state/open.ts", passes: true },
  { from: "core/contract/a.ts", imports: "node:fs", passes: false },
  { from: "core/contract/a.ts", imports: "better-sqlite3", passes: false },
  { from: "core/contract/a.ts", imports: "electron", passes: false },
  { from: "core/contract/a.ts", imports: "ws", passes: false },
  { from: "core/contract/a.ts", imports: "../state/open.ts", passes: false },
  { from: "core/contract/a.ts", imports: "../gateway.ts", passes: false },
  { from: "core/contract/a.ts", imports: "zod", passes: true },
  { from: "core/contract/a.ts", imports: "./ids.ts", passes: true },
  { from: "core/contract/calls/a.ts", imports: "../ids.ts", passes: true },
  { from: "core/contract/calls/a.ts", imports: "../../state/open.ts", passes: false },
  { from: "core/contract/calls/a.ts", imports: "node:fs", passes: false },
  { from: "electron/a.ts", imports: "../renderer/main.tsx", passes: false },
  { from: "electron/a.ts", imports: "react", passes: false },
  { from: "electron/a.ts", imports: "../core/gateway.ts", passes: true },
  { from: "renderer/views/a.tsx", imports: "node:path", passes: false },
  { from: "renderer/views/a.tsx", imports: "electron", passes: false },
  { from: "renderer/views/a.tsx", imports: "better-sqlite3", passes: false },
  { from: "renderer/views/a.tsx", imports: "../../electron/ipc.ts", passes: false },
  { from: "renderer/views/a.tsx", imports: "../../core/gateway.ts", passes: false },
  { from: "renderer/views/a.tsx", imports: "../../core/state/open.ts", passes: false },
  { from: "renderer/views/a.tsx", imports: "../../core/contract/calls.ts", passes: true },
  { from: "renderer/views/a.tsx", imports: "react", passes: true },
];

/** Offending code, and the rule that must name it. */
const offences: { file: string; code: string; rule: string }[] = [
  {
    file: "core/turns/b.ts",
    code: "async function f(): Promise<void> {}\nexport function g(): void {\n  f();\n}\n",
    rule: "no-floating-promises",
  },
  {
    file: "core/turns/c.ts",
    code: "export function g(): void {\n  [1].forEach(async () => {});\n}\n",
    rule: "no-misused-promises",
  },
  {
    file: "core/turns/d.ts",
    code: 'export function g(x: "a" | "b"): number {\n  switch (x) {\n    case "a":\n      return 1;\n  }\n  return 2;\n}\n',
    rule: "switch-exhaustiveness-check",
  },
  {
    file: "core/turns/e.ts",
    code: "export async function g(): Promise<void> {\n  await 1;\n}\n",
    rule: "await-thenable",
  },
  {
    file: "core/turns/f.ts",
    code: "export function g(x: string): string {\n  if (x === undefined) return '';\n  return x;\n}\n",
    rule: "no-unnecessary-condition",
  },
  {
    file: "core/turns/g.ts",
    code: `export const lines: number[] = [];\n${"lines.push(1);\n".repeat(300)}`,
    rule: "max-lines",
  },
  {
    file: "renderer/views/b.tsx",
    code: 'export const Face = () => <img src="face.png" />;\n',
    rule: "alt-text",
  },
  {
    file: "renderer/views/c.tsx",
    code: 'import { useState } from "react";\nexport function Face({ on }: { on: boolean }) {\n  if (on) useState(1);\n  return null;\n}\n',
    rule: "rules-of-hooks",
  },
];

interface Diagnostic {
  code: string;
  filename: string;
}

const place = mkdtempSync(join(tmpdir(), "signalbox-lint-"));
const wallFile = (index: number, from: string) => from.replace(/a(\.tsx?)$/, `wall-${index}$1`);
let found: Diagnostic[] = [];

beforeAll(() => {
  for (const name of [".oxlintrc.json", "tsconfig.base.json", "tsconfig.json"]) {
    cpSync(join(ROOT, name), join(place, name));
  }
  for (const folder of ["core", "core/contract", "electron", "renderer"]) {
    mkdirSync(join(place, folder), { recursive: true });
    cpSync(join(ROOT, folder, "tsconfig.json"), join(place, folder, "tsconfig.json"));
  }
  symlinkSync(join(ROOT, "node_modules"), join(place, "node_modules"), "junction");
  const put = (file: string, code: string) => {
    mkdirSync(dirname(join(place, file)), { recursive: true });
    writeFileSync(join(place, file), code);
  };
  for (const [index, { from, imports }] of walls.entries()) {
    put(wallFile(index, from), `export * from "${imports}";\n`);
  }
  for (const { file, code } of offences) put(file, code);
  const oxlint = join(ROOT, "node_modules", "oxlint", "bin", "oxlint");
  const run = spawnSync(
    process.execPath,
    [oxlint, "--format", "json", "core", "electron", "renderer"],
    {
      cwd: place,
      encoding: "utf8",
      maxBuffer: 64 * 1024 * 1024,
    },
  );
  found = (JSON.parse(run.stdout) as { diagnostics: Diagnostic[] }).diagnostics;
}, 60_000);

afterAll(() => {
  rmSync(place, { recursive: true, force: true });
});

const rulesIn = (file: string) =>
  found.filter((one) => one.filename.replaceAll("\\", "/") === file).map((one) => one.code);

describe("import walls", () => {
  test.each(walls.map((wall, index) => ({ ...wall, index })))(
    "$from importing $imports: passes is $passes",
    ({ from, imports, passes, index }) => {
      void imports;
      const stopped = rulesIn(wallFile(index, from)).some((code) =>
        code.includes("no-restricted-imports"),
      );
      expect(stopped).toBe(!passes);
    },
  );
});

describe("rules the gateway depends on", () => {
  test.each(offences)("$rule is reported", ({ file, rule }) => {
    expect(rulesIn(file).join(" ")).toContain(rule);
  });
});

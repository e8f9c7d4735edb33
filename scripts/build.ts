import { spawnSync } from "node:child_process";
import { existsSync, globSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { builtinModules } from "node:module";
import { join } from "node:path";
import type { InlineConfig } from "vite";
import { DIST, ROOT } from "./paths.ts";
import { isStale, removeStamp, writeStamp } from "./stale.ts";

type Part = "renderer" | "electron" | "core";

interface Recipe {
  /** Without this file the part does not exist yet and is passed over. */
  entry: string;
  sources: string[];
  bundles(outDir: string): InlineConfig[];
}

/** Native, or given by the runtime: never bundled. */
const external = [
  "electron",
  "better-sqlite3",
  ...builtinModules,
  ...builtinModules.map((name) => `node:${name}`),
];

function forNode(
  input: Record<string, string>,
  outDir: string,
  format: "esm" | "cjs",
): InlineConfig {
  return {
    configFile: false,
    root: ROOT,
    logLevel: "warn",
    publicDir: false,
    ssr: { noExternal: true, external: ["electron", "better-sqlite3"] },
    build: {
      ssr: true,
      outDir,
      emptyOutDir: false,
      target: "node24",
      sourcemap: true,
      rolldownOptions: {
        input,
        external,
        output: {
          format,
          entryFileNames: format === "cjs" ? "[name].cjs" : "[name].js",
          chunkFileNames: "chunks/[name]-[hash].js",
        },
      },
    },
  };
}

/** Workers are started by file name, so each is an entry of its own, at the same place beside its starter. */
function coreEntries(): Record<string, string> {
  const workers = globSync("core/**/*-worker.ts", { cwd: ROOT });
  return Object.fromEntries(
    ["core/cli.ts", ...workers].map((path) => [
      path.replace(/^core[\\/]/, "").replace(/\.ts$/, ""),
      join(ROOT, path),
    ]),
  );
}

const recipes: Record<Part, Recipe> = {
  renderer: {
    entry: "renderer/index.html",
    sources: ["renderer", "core/contract", "vite.config.ts", "package-lock.json"],
    bundles: (outDir) => [
      {
        configFile: join(ROOT, "vite.config.ts"),
        logLevel: "warn",
        build: { outDir, emptyOutDir: true },
      },
    ],
  },
  electron: {
    entry: "electron/main.ts",
    sources: ["electron", "core", "scripts/build.ts", "package-lock.json"],
    bundles: (outDir) => [
      forNode({ main: join(ROOT, "electron/main.ts") }, outDir, "esm"),
      forNode({ preload: join(ROOT, "electron/preload.ts") }, outDir, "cjs"),
    ],
  },
  core: {
    entry: "core/cli.ts",
    sources: ["core", "scripts/build.ts", "package-lock.json"],
    bundles: (outDir) => [forNode(coreEntries(), outDir, "esm")],
  },
};

const stampOf = (part: Part) => join(DIST, `.${part}-built`);

/** Builds beside the old result and swaps, so that a gateway that is serving it never sees half a build. */
async function buildPart(part: Part, recipe: Recipe): Promise<void> {
  const startedAtMs = Date.now();
  const fresh = join(DIST, `.${part}-${process.pid}`);
  const target = join(DIST, part);
  mkdirSync(DIST, { recursive: true });
  removeStamp(stampOf(part));
  const { build } = await import("vite"); // loaded only when there is something to build: it takes a while
  try {
    for (const bundle of recipe.bundles(fresh)) await build(bundle);
    rmSync(target, { recursive: true, force: true });
    renameSync(fresh, target);
    writeStamp(stampOf(part), startedAtMs);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/** Those of `parts` that changed since they were built, or never were. Ones without an entry are never among them. */
function staleParts(parts: readonly Part[]): Part[] {
  return parts.filter((part) => {
    const { entry, sources } = recipes[part];
    if (!existsSync(join(ROOT, entry))) return false;
    const paths = sources.map((path) => join(ROOT, path));
    return !existsSync(join(DIST, part)) || isStale(stampOf(part), paths);
  });
}

/**
 * Builds what is stale, in a process of its own, so that the bundler's memory is gone before a host starts.
 *
 * @returns False when the build failed; its reason is on the terminal then.
 */
export function ensureBuilt(parts: readonly Part[]): boolean {
  const stale = staleParts(parts);
  if (stale.length === 0) return true;
  const script = join(import.meta.dirname, "build.ts");
  const run = spawnSync(process.execPath, [script, ...stale], {
    stdio: ["inherit", 2, "inherit"], // standard output belongs to the host that comes after
  });
  return run.status === 0;
}

if (import.meta.main) {
  const all = Object.keys(recipes) as Part[];
  const named = process.argv.slice(2);
  const unknown = named.find((name) => !Object.hasOwn(recipes, name));
  if (unknown !== undefined) {
    console.error(`There is no part "${unknown}". Parts: ${all.join(", ")}.`);
    process.exit(1);
  }
  const wanted = (named.length > 0 ? (named as Part[]) : all).filter((part) =>
    existsSync(join(ROOT, recipes[part].entry)),
  );
  for (const part of wanted) await buildPart(part, recipes[part]);
  console.log(wanted.length > 0 ? `Built ${wanted.join(", ")} in dist/.` : "Nothing to build yet.");
}

import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, sep } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ROOT } from "./paths.ts";

/** Set for everything started here, so that a test run inside the copy could never start another copy. */
const INSIDE = "SIGNALBOX_IN_CLEAN_CLONE";

/** The environment of a person's own terminal: no trace of the npm and the Node that run these tests. */
function personsEnvironment(): NodeJS.ProcessEnv {
  const path = (process.env["PATH"] ?? "")
    .split(delimiter)
    .filter((folder) => !folder.includes(`node_modules${sep}`) && !folder.startsWith(ROOT + sep));
  const own = Object.entries(process.env).filter(
    ([name]) =>
      !/^(npm_(?!config_)|npm_config_(prefix|local_prefix|user_agent)$|INIT_CWD$|NODE|VITEST|SIGNALBOX_)/.test(
        name,
      ),
  );
  return {
    ...Object.fromEntries(own),
    PATH: path.join(delimiter),
    SIGNALBOX_HOST: "headless",
    BROWSER: "none",
    [INSIDE]: "1",
  };
}

/** Copies what a clone would have, and what is about to be committed. */
function copyCheckout(target: string): void {
  const listed = execFileSync("git", ["ls-files", "-z", "-co", "--exclude-standard"], {
    cwd: ROOT,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  for (const file of new Set(listed.split("\0"))) {
    if (file === "" || !existsSync(join(ROOT, file))) continue; // removed, but not yet committed so
    mkdirSync(dirname(join(target, file)), { recursive: true });
    cpSync(join(ROOT, file), join(target, file));
  }
}

/** Resolves with the first match in what a process prints; rejects, with all it printed, when it ends first. */
function printed(child: ChildProcess, pattern: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = "";
    const look = (chunk: Buffer) => {
      output += chunk.toString();
      const match = pattern.exec(output);
      if (match) resolve(match[0]);
    };
    child.stdout?.on("data", look);
    child.stderr?.on("data", look);
    child.once("close", (code) => {
      reject(
        new Error(`ended with ${String(code)} before it printed ${String(pattern)}:\n${output}`),
      );
    });
  });
}

/** Opens a link as a browser does: follows redirects, keeps cookies. */
async function openLink(link: string): Promise<{ status: number; type: string; text: string }> {
  const cookies = new Map<string, string>();
  let url = link;
  for (let hops = 0; hops < 5; hops++) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const answer = await fetch(url, { redirect: "manual", headers: cookie ? { cookie } : {} });
    for (const line of answer.headers.getSetCookie()) {
      const [name = "", value = ""] = (line.split(";")[0] ?? "").split("=");
      cookies.set(name, value);
    }
    const next = answer.headers.get("location");
    if (next === null) {
      const type = answer.headers.get("content-type") ?? "";
      return { status: answer.status, type, text: await answer.text() };
    }
    url = new URL(next, url).href;
  }
  throw new Error(`${link} leads in circles`);
}

describe.skipIf(process.env[INSIDE] === "1")(
  "a fresh copy with the system's own Node and npm",
  () => {
    const env = personsEnvironment();
    let place = "";
    let clone = "";
    let started: ChildProcess | undefined;

    beforeAll(() => {
      place = mkdtempSync(join(tmpdir(), "signalbox-clone-"));
      clone = join(place, "signalbox");
      copyCheckout(clone);
    });

    afterAll(async () => {
      if (started?.exitCode === null && started.signalCode === null) {
        started.kill("SIGKILL");
        await once(started, "close");
      }
      rmSync(place, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    });

    const npx = (...args: string[]) =>
      execFileSync("npx", ["signalbox", ...args], { cwd: clone, env, encoding: "utf8" });

    test("npm ci", () => {
      execFileSync("npm", ["ci", "--prefer-offline", "--no-audit", "--no-fund"], {
        cwd: clone,
        env,
        stdio: ["ignore", "pipe", "pipe"],
      });
      expect(existsSync(join(clone, "dist", "renderer", "index.html"))).toBe(true);
    });

    test("npx signalbox --version", () => {
      const { version } = JSON.parse(readFileSync(join(clone, "package.json"), "utf8")) as {
        version: string;
      };
      const said = npx("--version");
      expect(said.trim()).toContain(version);
    });

    const npmStart = async (data: string): Promise<{ child: ChildProcess; link: string }> => {
      const child = spawn("npm", ["start", "--", "--data", data], { cwd: clone, env });
      started = child;
      return { child, link: await printed(child, /http:\/\/127\.0\.0\.1:\d+\S*/) };
    };

    test("npm start shows the panel at the link it prints, and SIGTERM ends it well", async () => {
      const data = join(place, "data");
      const { child, link } = await npmStart(data);
      const page = await openLink(link);
      expect(page.status).toBe(200);
      expect(page.type).toContain("text/html");
      expect(page.text).toMatch(/signalbox/i);

      const status = npx("status", "--json", "--data", data);
      const pid = Number(/"pid":\s*(\d+)/.exec(status)?.[1]);
      expect(pid).toBeGreaterThan(1);
      const closed = once(child, "close");
      process.kill(pid, "SIGTERM");
      expect(await closed).toEqual([0, null]);
    });

    test("ending npm itself leaves no gateway behind", async () => {
      const { child, link } = await npmStart(join(place, "other-data"));
      child.kill("SIGTERM");
      await expect
        .poll(
          () =>
            fetch(link).then(
              () => "served",
              () => "gone",
            ),
          { timeout: 15_000 },
        )
        .toBe("gone");
    });
  },
);

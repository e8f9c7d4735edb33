import { describe, expect, test } from "vitest";
import { findOrInstallChromium, type Probes } from "./chromium.ts";

const OWN = "/cache/playwright/chrome";
const DEBIAN = "/etc/debian_version";

/** A machine with these files, on which these commands succeed and leave these files behind. */
function machine(
  files: string[],
  { installs = {}, ...rest }: Partial<Probes> & { installs?: Record<string, string[]> } = {},
) {
  const there = new Set(files);
  const ran: string[] = [];
  const probes: Probes = {
    platform: "linux",
    env: {},
    isRoot: false,
    exists: (path) => there.has(path),
    playwrightPath: () => Promise.resolve(OWN),
    run: (command, args) => {
      const key = command === "apt-get" ? `apt-get ${args[0] ?? ""}` : "playwright install";
      ran.push(key);
      for (const path of installs[key] ?? []) there.add(path);
      return key in installs;
    },
    say: () => {},
    ...rest,
  };
  return { probes, ran };
}

describe("what is there is used, and nothing is installed", () => {
  test("the named one outranks all", async () => {
    const { probes, ran } = machine(["/my/chrome", "/usr/bin/chromium", OWN], {
      env: { SIGNALBOX_CHROMIUM: "/my/chrome" },
    });
    expect(await findOrInstallChromium(probes)).toBe("/my/chrome");
    expect(ran).toEqual([]);
  });

  test("a named one that is missing is an error, not a reason to take another", async () => {
    const { probes } = machine(["/usr/bin/chromium"], { env: { SIGNALBOX_CHROMIUM: "/gone" } });
    await expect(findOrInstallChromium(probes)).rejects.toThrow("/gone");
  });

  test("an installed one comes before Playwright's", async () => {
    const { probes, ran } = machine(["/usr/bin/google-chrome", OWN]);
    expect(await findOrInstallChromium(probes)).toBe("/usr/bin/google-chrome");
    expect(ran).toEqual([]);
  });

  test("Playwright's, where it was downloaded before", async () => {
    const { probes, ran } = machine([OWN]);
    expect(await findOrInstallChromium(probes)).toBe(OWN);
    expect(ran).toEqual([]);
  });

  test("a Mac's Chrome", async () => {
    const chrome = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome";
    const { probes } = machine([chrome], { platform: "darwin" });
    expect(await findOrInstallChromium(probes)).toBe(chrome);
  });
});

describe("where none is there, one is installed", () => {
  test("by Playwright's download first", async () => {
    const { probes, ran } = machine([DEBIAN], {
      isRoot: true,
      installs: { "playwright install": [OWN] },
    });
    expect(await findOrInstallChromium(probes)).toBe(OWN);
    expect(ran).toEqual(["playwright install"]);
  });

  test("else, as root on Debian, the distribution's", async () => {
    const { probes, ran } = machine([DEBIAN], {
      isRoot: true,
      installs: { "apt-get update": [], "apt-get install": ["/usr/bin/chromium"] },
    });
    expect(await findOrInstallChromium(probes)).toBe("/usr/bin/chromium");
    expect(ran).toEqual(["playwright install", "apt-get update", "apt-get install"]);
  });

  test.each([
    ["not as another user", [DEBIAN], false],
    ["not on another system", [], true],
  ])("%s: it says what to do", async (_, files, isRoot) => {
    const { probes, ran } = machine(files, { isRoot });
    await expect(findOrInstallChromium(probes)).rejects.toThrow(
      /Install Chromium.*SIGNALBOX_CHROMIUM/,
    );
    expect(ran).toEqual(["playwright install"]);
  });
});

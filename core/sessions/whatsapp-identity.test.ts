import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  canonicalWhatsApp,
  noMappings,
  normalizeWhatsApp,
  toWhatsAppAddress,
  whatsAppAliases,
} from "./whatsapp-identity.ts";
import { whatsAppMappingFiles } from "./whatsapp-mapping-files.ts";

describe("one person, many ids (lifecycle 4.5)", () => {
  test.each([
    [null, ""],
    ["+15551234567", "15551234567"],
    ["15551234567:12@s.whatsapp.net", "15551234567"],
    ["999999999999999:2@lid", "999999999999999"],
    ["4479-16999@g.us", "4479-16999"],
    ["++155", "+155"],
  ])("normal form of %j", (id, bare) => {
    expect(normalizeWhatsApp(id)).toBe(bare);
  });

  test("a second + goes in the canonical form only; unsafe ids keep their bare form", () => {
    expect(canonicalWhatsApp("++155", noMappings)).toBe("155");
    expect(canonicalWhatsApp("../../etc", noMappings)).toBe("../../etc");
    expect([...whatsAppAliases("../../etc", noMappings)]).toEqual([]);
  });

  test("no id ever makes a file name that leaves the folder", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (id, mapped) => {
        whatsAppAliases(id, (name) => {
          expect(name).toMatch(/^lid-mapping-[A-Za-z0-9@.+-]+\.json$|_reverse\.json$/);
          expect(name).not.toMatch(/[/\\]/);
          return JSON.stringify(mapped);
        });
      }),
    );
  });

  test("everybody in a ring of mappings is the same person", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.bigInt({ min: 1n, max: 10n ** 15n }), { minLength: 1, maxLength: 6 }),
        (ring) => {
          const names = ring.map(String);
          const next = new Map(
            names.map((name, at) => [
              `lid-mapping-${name}.json`,
              names[(at + 1) % names.length] ?? "",
            ]),
          );
          const read = (file: string): string | null => next.get(file) ?? null;
          expect(new Set(names.map((name) => canonicalWhatsApp(name, read))).size).toBe(1);
        },
      ),
    );
  });

  test.each([
    ["", ""],
    ["15551234567:12@s.whatsapp.net", "15551234567@s.whatsapp.net"],
    ["+15551234567", "15551234567@s.whatsapp.net"],
    ["120363012345678901", "120363012345678901@g.us"],
    ["120363@g.us", "120363@g.us"],
    ["4479-16999", "4479-16999"],
  ])("address of %j", (id, address) => {
    expect(toWhatsAppAddress(id)).toBe(address);
  });
});

describe("the bridge's files", () => {
  let home = "";
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), "signalbox-whatsapp-"));
  });
  afterEach(() => {
    rmSync(home, { recursive: true });
  });
  const learn = (folder: string, text: string): void => {
    mkdirSync(join(home, folder), { recursive: true });
    writeFileSync(join(home, folder, "lid-mapping-100.json"), text);
  };

  test("missing, then learned between two messages, then taken from the older folder", () => {
    const read = whatsAppMappingFiles(home);
    expect(canonicalWhatsApp("100@lid", read)).toBe("100");
    learn("platforms/whatsapp/session", '"42"');
    expect(canonicalWhatsApp("100@lid", read)).toBe("42");
    mkdirSync(join(home, "whatsapp/session"), { recursive: true });
    expect(canonicalWhatsApp("100@lid", read)).toBe("42"); // empty: not used
    learn("whatsapp/session", "7");
    expect(canonicalWhatsApp("100@lid", read)).toBe("7");
    learn("whatsapp/session", "{ half");
    expect(canonicalWhatsApp("100@lid", read)).toBe("100");
  });
});

import { describe, expect, test } from "vitest";
import { isUnsafeSessionId, isUnsafeSessionKey } from "./path-safety.ts";
import { mintSessionId } from "./session-id.ts";

describe("session ids (lifecycle 2.4)", () => {
  const at = new Date(2026, 6, 4, 9, 5, 3).getTime();

  test("a local stamp and four random bytes", () => {
    expect(mintSessionId(at, () => Uint8Array.of(0, 15, 255, 16))).toBe("20260704_090503_000fff10");
  });

  test("another one is minted where the id is taken", () => {
    let draws = 0;
    const random = (count: number): Uint8Array => new Uint8Array(count).fill(++draws);
    expect(mintSessionId(at, random, (id) => id.endsWith("01010101"))).toBe(
      "20260704_090503_02020202",
    );
  });
});

describe("path safety (lifecycle 2.3)", () => {
  test.each([
    ["agent:main:telegram:dm:1", false, false],
    ["spaces/A/threads/B", true, false],
    ["a\\b", true, false],
    ["/abs", true, true],
    ["a..b", true, true],
    ["C:x", true, true],
    ["1:x", false, false],
    ["", false, false],
  ])("%j as an id: %s, as a key: %s", (value, unsafeId, unsafeKey) => {
    expect(isUnsafeSessionId(value)).toBe(unsafeId);
    expect(isUnsafeSessionKey(value)).toBe(unsafeKey);
  });
});

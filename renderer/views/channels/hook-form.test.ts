import { describe, expect, test } from "vitest";
import { faultyField, hookEntry, hookFaults, hookForm, type StoredHook } from "./hook-form.ts";

const stored: StoredHook = {
  enabled: false,
  secret: { hasKey: true },
  out: {
    url: "https://example.org/replies",
    secret: { hasKey: true },
    timeoutMs: 2_500,
    idempotent: true,
  },
  agent: "ollama",
  chatType: "group",
};

describe("a webhook's form", () => {
  test("a stored one that is saved unchanged is written as it was", () => {
    expect(hookEntry(hookForm("deploys", stored), stored)).toEqual({
      enabled: false,
      secret: { hasKey: true },
      chatType: "group",
      agent: "ollama",
      out: {
        url: "https://example.org/replies",
        secret: { hasKey: true },
        timeoutMs: 2_500,
        idempotent: true,
      },
    });
  });

  test("a new one writes no more than was chosen", () => {
    const form = { ...hookForm("", null), name: "a", secret: "s3cret" };
    expect(hookEntry(form, null)).toEqual({ secret: "s3cret" });
  });

  test("without an address for replies nothing of the way out is left", () => {
    const form = { ...hookForm("a", stored), outUrl: " " };
    expect(hookEntry(form, stored)).not.toHaveProperty("out");
  });
});

describe("what is wrong with it", () => {
  const good = { ...hookForm("", null), name: "a", secret: "s" };
  test.each([
    { changes: {}, faults: {} },
    { changes: { name: "a b" }, faults: { name: "name" } },
    { changes: { name: "b" }, faults: { name: "nameTaken" } },
    { changes: { secret: "  " }, faults: { secret: "secret" } },
    { changes: { secret: null }, faults: {} },
    { changes: { outUrl: "example.org" }, faults: { outUrl: "outUrl" } },
    { changes: { outUrl: "ftp://example.org" }, faults: { outUrl: "outUrl" } },
    { changes: { outUrl: "http://e.org", timeoutS: "0" }, faults: { timeoutS: "timeout" } },
    { changes: { outUrl: "http://e.org", timeoutS: "x" }, faults: { timeoutS: "timeout" } },
    { changes: { outUrl: "http://e.org", timeoutS: "" }, faults: {} },
    { changes: { timeoutS: "x" }, faults: {} },
  ])("$changes: $faults", ({ changes, faults }) => {
    expect(hookFaults({ ...good, ...changes }, ["b"])).toEqual(faults);
  });

  test.each([
    ["channels.webhook.a", "name"],
    ["channels.webhook.a.out.url", "outUrl"],
    ["channels.webhook.a.out.timeoutMs", "timeoutS"],
    ["channels.webhook.a.secret", "secret"],
    ["log.level", null],
    [null, null],
  ])("the gateway's %s is the field %s", (path, field) => {
    expect(faultyField(path)).toBe(field);
  });
});

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { busyPolicy, commandRules, isDestructive, parseCommand } from "./command-parse.ts";
import type { Command } from "./command-parse.ts";

describe("commands (lifecycle 18)", () => {
  test.each<[string, Command]>([
    ["/new", { name: "new", title: null }],
    ["/reset  Trip\u0007 plans ", { name: "reset", title: "Trip plans" }],
    ["/STOP@SignalBot", { name: "stop" }],
    ["/queue then\ndeploy", { name: "queue", text: "then\ndeploy" }],
    ["/queue", { name: "queue", text: "" }],
    ["/busy Steer", { name: "busy", mode: "steer" }],
    ["/busy", { name: "busy", mode: null }],
    ["/resume 3", { name: "resume", target: "3" }],
    ["/sessions", { name: "sessions", view: { kind: "own" } }],
    ["/sessions ALL", { name: "sessions", view: { kind: "all" } }],
    [
      "/sessions search disk full",
      { name: "sessions", view: { kind: "search", query: "disk full" } },
    ],
    [
      "/sessions searchlight",
      { name: "sessions", view: { kind: "target", target: "searchlight" } },
    ],
    ["/undo", { name: "undo", turns: 1 }],
    ["/undo -4", { name: "undo", turns: 1 }],
    ["/undo 3", { name: "undo", turns: 3 }],
    [
      "/compress the plan",
      { name: "compress", preview: false, scope: { kind: "whole", focus: "the plan" } },
    ],
    [
      "/compress --preview here 4",
      { name: "compress", preview: true, scope: { kind: "here", keepExchanges: 4 } },
    ],
    [
      "/compress here",
      { name: "compress", preview: false, scope: { kind: "here", keepExchanges: 2 } },
    ],
    ["/pause off", { name: "pause", on: false, reason: null }],
    ["/pause moving house", { name: "pause", on: true, reason: "moving house" }],
    ["/approve always", { name: "approve", answer: "always" }],
  ])("%j", (text, command) => {
    expect(parseCommand(text)).toEqual({ kind: "command", command });
  });

  test.each([
    "/undo two",
    "/busy sometimes",
    "/background",
    "/sessions search",
    "/compress here few",
  ])("%j is known, but misused", (text) => {
    expect(parseCommand(text)).toMatchObject({
      kind: "misused",
      problem: expect.stringMatching("Usage") as string,
    });
  });

  test.each(["hello", "/", "/ stop", "/etc/hosts is wrong", "//stop", "", "stop /now"])(
    "%j is text",
    (text) => {
      expect(parseCommand(text)).toEqual({ kind: "text" });
    },
  );

  test("an unknown name is told, not run", () => {
    expect(parseCommand("/constructor x")).toEqual({ kind: "unknown", name: "constructor" });
  });

  test("another prefix, where the platform keeps the slash for itself", () => {
    expect(parseCommand("!stop")).toEqual({ kind: "text" });
    expect(parseCommand("!stop", ["!"])).toEqual({ kind: "command", command: { name: "stop" } });
  });

  test("reading never throws", () => {
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(commandRules), "x"), fc.string(), (name, rest) => {
        expect(parseCommand(`/${name} ${rest}`).kind).not.toBe("text");
      }),
    );
  });
});

describe("on a busy lane (lifecycle 18)", () => {
  const names = Object.keys(commandRules);
  test.each([
    ["immediate", "stop queue steer busy status restart approve deny background goal pause help"],
    ["interrupt", "new reset"],
    ["reject", "resume sessions retry undo compress title branch"],
  ])("%s: %s", (policy, list) => {
    expect(names.filter((name) => busyPolicy(name) === policy).toSorted()).toEqual(
      list.split(" ").toSorted(),
    );
  });

  test("a name that is no command never interrupts", () => {
    expect(busyPolicy("toString")).toBe("reject");
  });

  test("three ask first (lifecycle 6.1)", () => {
    expect(names.filter(isDestructive)).toEqual(["new", "reset", "undo"]);
  });
});

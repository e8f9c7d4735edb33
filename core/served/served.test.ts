import { describe, expect, test } from "vitest";
import { calls } from "../contract/calls.ts";
import { SignalboxError } from "../contract/errors.ts";
import type { CallContext } from "../gateway-api.ts";
import { silentLog } from "../log/log.ts";
import type { Log } from "../log/log.ts";
import { refused } from "../testing/refused.ts";
import { createDoor } from "./served.ts";
import type { Served } from "./served.ts";

const context: CallContext = { actor: "rpc", connection: null };

/** A door before handlers that remember what they were given. */
function door(handlers: Partial<Record<keyof Served, (input: unknown) => unknown>> = {}) {
  const asked: { name: string; input: unknown }[] = [];
  const logged: unknown[] = [];
  const served = Object.fromEntries(
    Object.keys(calls).map((name) => [
      name,
      async (input: unknown) => {
        asked.push({ name, input });
        return handlers[name as keyof Served]?.(input) ?? {};
      },
    ]),
  ) as unknown as Served;
  const log: Log = { ...silentLog, error: (event, _fields, cause) => logged.push([event, cause]) };
  return { ...createDoor(served, log), asked, logged };
}

describe("the door", () => {
  test("what fits is handed over as it was read, and answered in an envelope", async () => {
    const { answer, asked } = door({ "sessions.list": () => ({ sessions: [] }) });
    const reply = await answer("sessions.list", { filter: "ada", unknown: 1 }, context);
    expect(reply).toEqual({ ok: true, value: { sessions: [] } });
    expect(asked).toEqual([{ name: "sessions.list", input: { filter: "ada" } }]);
  });

  test("no input is an empty one", async () => {
    const { answer, asked } = door();
    await answer("gateway.status", undefined, context);
    expect(asked).toEqual([{ name: "gateway.status", input: {} }]);
  });

  test.each(["nothing.there", "", "__proto__", "constructor", "toString", "x".repeat(5_000)])(
    "there is no call %j",
    async (name) => {
      const { answer, asked } = door();
      const reply = await answer(name, {}, context);
      expect(reply).toMatchObject({ ok: false, error: { code: "E_UNKNOWN_CALL" } });
      expect(JSON.stringify(reply).length).toBeLessThan(300);
      expect(asked).toEqual([]);
    },
  );

  test.each([
    ["sessions.list", { limit: 0 }, "limit"],
    ["sessions.list", { sort: "colour" }, "sort"],
    ["sessions.get", {}, "key"],
    ["channels.simulate", { source: { chat_id: 1 }, text: "hi" }, "source.platform"],
    ["sessions.send", "text", ""],
    ["sessions.send", { key: "k", text: "x".repeat(200_001) }, "text"],
    ["sessions.watch", { keys: ["a", 7] }, "keys.1"],
  ])("%s %j names the field %j", async (name, input, field) => {
    const { answer, asked } = door();
    const reply = await answer(name, input, context);
    expect(reply).toMatchObject({ ok: false, error: { code: "E_INPUT", details: { field } } });
    expect(asked).toEqual([]);
  });

  test("an error thrown on purpose keeps its code, words and details", async () => {
    const own = new SignalboxError("E_NOT_FOUND", "There is no session.", { key: "k" });
    const { answer, logged } = door({
      "sessions.get": () => {
        throw own;
      },
    });
    expect(await answer("sessions.get", { key: "k" }, context)).toEqual({
      ok: false,
      error: { code: "E_NOT_FOUND", message: "There is no session.", details: { key: "k" } },
    });
    expect(logged).toEqual([]);
  });

  test("any other error tells the caller nothing, and the log everything", async () => {
    const inside = new Error("the password is swordfish");
    const { answer, call, logged } = door({
      "sessions.get": () => {
        throw inside;
      },
    });
    const reply = await answer("sessions.get", { key: "k" }, context);
    expect(reply).toMatchObject({ ok: false, error: { code: "E_INTERNAL", details: {} } });
    expect(JSON.stringify(reply)).not.toContain("swordfish");
    expect(logged).toEqual([["call.failed", inside]]);
    await expect(call("sessions.get", { key: "k" }, context)).rejects.toBe(inside);
  });

  test("in process a refusal is thrown", async () => {
    const { call } = door();
    await expect(call("sessions.get", {}, context)).rejects.toEqual(
      refused("E_INPUT", { field: "key" }),
    );
  });
});

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { SignalboxError } from "../contract/errors.ts";
import { asSessionId, asSessionKey } from "../contract/ids.ts";
import type { Agent, AgentRuntime } from "./runtime.ts";
import { collect, turnRequest } from "./testing/collect.ts";

/** What a runtime brings to the suite. The `text`s are what makes this runtime do the named thing. */
export interface RuntimeUnderTest {
  runtime: AgentRuntime;
  /** Answers in several deltas; `reply` is the whole. */
  plain: { text: string; reply: string };
  /** Shows some text, then goes on for ever, or long enough, until it is stopped. */
  endless: string;
  /** Says nothing for ever, or long enough, until it is stopped. */
  silent: string;
  /** Fails with a typed error before any text. */
  failing: string;
  dispose(): Promise<void>;
}

/** One suite for every runtime: what the runner relies on, whichever agent it drives. */
export function describeRuntime(name: string, start: () => Promise<RuntimeUnderTest>): void {
  describe(`${name} keeps the runtime's promises`, () => {
    let under: RuntimeUnderTest;
    let agent: Agent;

    beforeEach(async () => {
      under = await start();
      agent = under.runtime.createAgent({
        key: asSessionKey("agent:main:local:dm:one"),
        sessionId: asSessionId("20260101_000000_00000000"),
      });
    });
    afterEach(async () => {
      await agent.release();
      await under.dispose();
    });

    it("streams its text in several deltas and ends exactly once, last", async () => {
      const told = await collect(agent, { text: under.plain.text });
      expect(told.error).toBeNull();
      expect(told.text).toBe(under.plain.reply);
      expect(told.events.filter((event) => event.type === "text").length).toBeGreaterThan(1);
      expect(told.events.filter((event) => event.type === "end")).toHaveLength(1);
      expect(told.events.at(-1)).toMatchObject({ type: "end", state: "complete", finish: "stop" });
    });

    it("reports usage and the model that answered", async () => {
      const end = (await collect(agent, { text: under.plain.text })).events.at(-1);
      if (end?.type !== "end") throw new Error("no end");
      expect(end.usage?.inputTokens).toBeGreaterThan(0);
      expect(end.usage?.outputTokens).toBeGreaterThan(0);
      expect(end.model).toEqual(expect.any(String));
    });

    it("answers the same request the same way, twice in a row, with an empty history or a full one", async () => {
      const history = [
        { role: "user" as const, text: "before" },
        { role: "assistant" as const, text: "yes" },
      ];
      const first = await collect(agent, { text: under.plain.text, history, system: "Be brief." });
      const again = await collect(agent, { text: under.plain.text, history, system: "Be brief." });
      expect(again).toEqual(first);
      expect(again.text).toBe(under.plain.reply);
    });

    it("stops promptly in the middle of its text, and tells nothing more", async () => {
      const stop = new AbortController();
      let afterStop = 0;
      const told = await collect(agent, { text: under.endless }, stop.signal, () => {
        if (stop.signal.aborted) afterStop++;
        stop.abort();
      });
      expect(told.error?.code).toBe("E_TURN_STOPPED");
      expect(afterStop).toBe(0);
      expect(told.events.some((event) => event.type === "end")).toBe(false);
    });

    it("stops promptly while nothing has come yet", async () => {
      const stop = new AbortController();
      const told = collect(agent, { text: under.silent }, stop.signal);
      await Promise.resolve();
      stop.abort();
      await expect(told).resolves.toMatchObject({ events: [], error: { code: "E_TURN_STOPPED" } });
    });

    it("does not begin where the signal has fired already", async () => {
      const told = await collect(agent, { text: under.plain.text }, AbortSignal.abort());
      expect(told).toMatchObject({ events: [], error: { code: "E_TURN_STOPPED" } });
    });

    it("can be used again after a stop and after a failure", async () => {
      const stop = new AbortController();
      await collect(agent, { text: under.endless }, stop.signal, () => {
        stop.abort();
      });
      await collect(agent, { text: under.failing });
      expect((await collect(agent, { text: under.plain.text })).text).toBe(under.plain.reply);
    });

    it("can be left in the middle by its reader", async () => {
      for await (const event of agent.run(
        turnRequest({ text: under.endless }),
        new AbortController().signal,
      )) {
        expect(event.type).not.toBe("end");
        break;
      }
      expect((await collect(agent, { text: under.plain.text })).text).toBe(under.plain.reply);
    });

    it("fails with a typed error and a sentence, and ends nothing", async () => {
      const told = await collect(agent, { text: under.failing });
      expect(told.error).toBeInstanceOf(SignalboxError);
      expect(told.error?.code).toMatch(/^E_AGENT_/);
      expect(told.error?.message).toMatch(/\w+ \w+/);
      expect(told.events.filter((event) => event.type === "end" || event.type === "text")).toEqual(
        [],
      );
    });

    it("refuses a second run while one is under way", async () => {
      const stop = new AbortController();
      const first = collect(agent, { text: under.endless }, stop.signal);
      expect((await collect(agent, { text: under.plain.text })).error?.code).toBe("E_BUSY");
      stop.abort();
      expect((await first).error?.code).toBe("E_TURN_STOPPED");
    });

    it("releases as often as asked and keeps nothing", async () => {
      await collect(agent, { text: under.plain.text });
      await agent.release();
      await agent.release();
      expect(agent.liveBytes()).toBe(0);
    });

    it("probes without throwing", async () => {
      const probe = await under.runtime.probe(new AbortController().signal);
      expect(probe.state).toBe("ok");
      expect(probe.models.length).toBeGreaterThan(0);
    });
  });
}

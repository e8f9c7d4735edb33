import assert from "node:assert/strict";
import { z } from "zod";
import { onStage } from "./stage.ts";
import type { Stage } from "./stage.ts";

/** A named run with a known end; throws where it ends otherwise. */
export interface Story {
  name: string;
  run(): Promise<void>;
}

const report = z.object({
  previousExit: z.string(),
  breaker: z.object({ tripped: z.boolean() }),
  lists: z.record(z.string(), z.object({ count: z.number() })),
});
const found = async (stage: Stage): Promise<z.output<typeof report>> =>
  report.parse(await stage.call("recovery.report"));
const texts = (stage: Stage, hook: string, chat: string): string[] =>
  stage.heard(hook, chat).map(({ text }) => text);

/** What repeated kills would trip by design, and so is left out of the storm, or has an end that can be foretold. */
export const stories: Story[] = [
  {
    name: "a turn that kills the process is stopped at three; only its session is suspended, its person told",
    run: () =>
      onStage({}, async (stage) => {
        const poison = stage.key("plain", "poison");
        await stage.start();
        await stage.say("plain", "poison", "p1", "!sleep 20s poison");
        await stage.running(poison);
        let resumes = 0;
        for (;;) {
          await stage.kill();
          await stage.start();
          await stage.say("plain", "other", `o${resumes}`, `fine ${resumes}`);
          const { lists } = await found(stage);
          if (lists["stuck"]?.count === 1) break;
          assert.equal(lists["resumed"]?.count, 1, "it is taken up");
          resumes += 1;
          assert.ok(resumes <= 3, "it is not taken up a fourth time");
          await stage.running(poison);
        }
        assert.equal(resumes, 3);
        await stage.until("the person is told", () =>
          texts(stage, "plain", "poison").some((text) => /suspended.*3 times/s.test(text)),
        );
        await stage.until("others go on", () => {
          const answered = stage.heard("plain", "other").map(({ replyTo }) => replyTo);
          return new Set(answered).size === 4; // the kills may have made repeats
        });
        const history = z.object({ messages: z.array(z.object({ text: z.string() })) });
        const { messages } = history.parse(await stage.call("sessions.history", { key: poison }));
        assert.ok(
          messages.some(({ text }) => text.includes("poison")),
          "its history is kept",
        );
        await stage.say("plain", "poison", "p2", "again");
        await stage.until("its next message starts fresh", () =>
          texts(stage, "plain", "poison").includes("You said: again"),
        );
        assert.equal(
          stage.heard("plain", "poison").filter(({ replyTo }) => replyTo === "p1").length,
          1,
        );
      }),
  },
  {
    name: "three starts in a row with something to take up trip the breaker; released, the turn is answered once",
    run: () =>
      onStage({ maxRestarts: 3 }, async (stage) => {
        const key = stage.key("plain", "a");
        await stage.start();
        await stage.say("plain", "a", "m1", "!sleep 1s hello");
        await stage.running(key);
        for (let start = 1; start <= 2; start += 1) {
          await stage.kill();
          await stage.start();
          assert.equal((await found(stage)).breaker.tripped, false);
          await stage.running(key);
        }
        await stage.kill();
        await stage.start();
        const { breaker, lists } = await found(stage);
        assert.deepEqual(
          [breaker.tripped, lists["held"]?.count, lists["resumed"]?.count],
          [true, 1, 0],
        );
        await stage.say("plain", "b", "m2", "others go on");
        await stage.until("they do", () => texts(stage, "plain", "b").length === 1);
        assert.deepEqual(texts(stage, "plain", "a"), []);
        await stage.call("recovery.release");
        await stage.until("its reply", () => texts(stage, "plain", "a").length === 1);
        assert.deepEqual(texts(stage, "plain", "a"), ["You said: hello"]);
      }),
  },
  {
    name: "a stop parks a turn that outlives its budget, and the next start answers it once",
    run: () =>
      onStage({}, async (stage) => {
        await stage.start();
        await stage.say("plain", "a", "m1", "!sleep 1500ms hello");
        await stage.say("plain", "a", "m2", "and this");
        await stage.running(stage.key("plain", "a"));
        assert.equal(await stage.stop(), 0);
        assert.equal(stage.isClean(), false);
        await stage.start();
        assert.equal((await found(stage)).lists["resumed"]?.count, 1);
        await stage.until("both replies", () => texts(stage, "plain", "a").length === 2);
        assert.deepEqual(texts(stage, "plain", "a"), ["You said: hello", "You said: and this"]);
        assert.equal(await stage.stop(), 0);
        assert.equal(stage.isClean(), true);
        await stage.start();
        assert.equal((await found(stage)).previousExit, "clean");
        assert.equal(texts(stage, "plain", "a").length, 2);
      }),
  },
  {
    name: "a receiver that keeps a reply and never answers gets it once more, labelled, and then the operator decides",
    run: () =>
      onStage({}, async (stage) => {
        await stage.start();
        stage.weather({ kind: "flaky", treatment: "hangs", share: 1 });
        await stage.say("plain", "a", "m1", "hello");
        await stage.say("keyed", "a", "m2", "hello");
        const ledger = z.object({ counts: z.record(z.string(), z.number()) });
        await stage.until("both wait for the operator", async () => {
          const { counts } = ledger.parse(await stage.call("deliveries.list"));
          return counts["unknown"] === 2;
        });
        const [first, second, ...more] = texts(stage, "plain", "a");
        assert.deepEqual([first, more], ["You said: hello", []]);
        assert.match(second ?? "", /^♻️ Recovered reply [^\n]+\n\nYou said: hello$/u);
        assert.deepEqual(texts(stage, "keyed", "a"), ["You said: hello"]); // it knows the key
      }),
  },
  {
    name: "a receiver that is away, full or broken gets every reply once it is back, in order",
    run: () =>
      onStage({}, async (stage) => {
        await stage.start();
        stage.weather({ kind: "closed", ms: 1_000 });
        for (const id of ["m1", "m2", "m3"]) await stage.say("plain", "a", id, id);
        stage.weather({ kind: "flaky", treatment: "limits", share: 0.5 });
        await stage.kill(); // in the middle of it
        await stage.start();
        await stage.until("all of them", () => texts(stage, "plain", "a").length >= 3);
        assert.deepEqual(
          texts(stage, "plain", "a").map((text) => text.replace(/^♻️[^\n]*\n\n/u, "")),
          ["You said: m1", "You said: m2", "You said: m3"],
        );
      }),
  },
];

import { expect, test } from "vitest";
import type { Bridge, LinkState, Reply } from "../../core/contract/bridge.ts";
import { pulledStore } from "./pulled.ts";

/** A question that the test answers by hand, in any order. */
function asked() {
  const waiting: ((reply: Reply<string>) => void)[] = [];
  const links: ((news: LinkState | "gap") => void)[] = [];
  const bridge = {
    onLink(listener) {
      links.push(listener);
      return () => {
        links.splice(links.indexOf(listener), 1);
      };
    },
  } as Pick<Bridge, "onLink"> as Bridge;
  const pulled = pulledStore(bridge, () => new Promise<Reply<string>>((r) => waiting.push(r)));
  const answer = async (index: number, reply: Reply<string>) => {
    waiting[index]?.(reply);
    await Promise.resolve();
    await Promise.resolve();
  };
  return { pulled, waiting, links, answer };
}
const ok = (value: string): Reply<string> => ({ ok: true, value });
const refused: Reply<string> = {
  ok: false,
  error: { code: "E_STORE_BUSY", message: "busy", details: {} },
};

test("a push that came after the question outranks its answer", async () => {
  const { pulled, answer } = asked();
  void pulled.pull();
  pulled.put("pushed");
  await answer(0, ok("older"));
  expect(pulled.store.getState()).toEqual({ value: "pushed", error: null, asking: false });
});

test("of two questions the newer one's answer stays, whichever comes last", async () => {
  const { pulled, answer } = asked();
  void pulled.pull();
  void pulled.pull();
  await answer(1, ok("newer"));
  await answer(0, ok("older"));
  expect(pulled.store.getState().value).toBe("newer");
});

test("a refusal keeps what was known, and the next answer clears it", async () => {
  const { pulled, answer } = asked();
  pulled.put("known");
  void pulled.pull();
  await answer(0, refused);
  expect(pulled.store.getState()).toMatchObject({
    value: "known",
    error: { code: "E_STORE_BUSY" },
  });
  void pulled.pull();
  await answer(1, ok("fresh"));
  expect(pulled.store.getState()).toEqual({ value: "fresh", error: null, asking: false });
});

test("it asks when the link comes up and at a gap, and stops with its view", async () => {
  const { pulled, waiting, links, answer } = asked();
  const stop = pulled.keepFresh();
  const tell = (news: LinkState | "gap") => {
    for (const link of links) link(news);
  };
  tell("connecting");
  expect(waiting).toHaveLength(0);
  tell("up");
  await answer(0, ok("known"));
  tell("lost");
  expect(waiting).toHaveLength(1);
  tell("gap");
  expect(waiting).toHaveLength(2);
  stop();
  tell("gap");
  expect(waiting).toHaveLength(2);
});

test("with nothing to show and no link it asks all the same, to be told why", () => {
  const { pulled, waiting, links } = asked();
  pulled.keepFresh();
  for (const link of links) link("lost");
  expect(waiting).toHaveLength(1);
});

import { describe, expect, test } from "vitest";
import { webSocketBridge, type SocketEvents } from "./web-socket-bridge.ts";

/** A network of sockets that the test opens, answers and breaks by hand, and timers it fires by hand. */
function network() {
  const sockets: (SocketEvents & { sent: string[] })[] = [];
  const timers: { ms: number; fn: () => void }[] = [];
  const bridge = webSocketBridge({
    open(events) {
      const sent: string[] = [];
      sockets.push({ ...events, sent });
      return { send: (text) => void sent.push(text), close() {} };
    },
    after(ms, fn) {
      const timer = { ms, fn };
      timers.push(timer);
      return () => {
        if (timers.includes(timer)) timers.splice(timers.indexOf(timer), 1);
      };
    },
    random: () => 0.5,
  });
  const news: string[] = [];
  bridge.onLink((state) => news.push(state));
  const say = (index: number, message: unknown) => sockets[index]!.text(JSON.stringify(message));
  return { bridge, sockets, timers, news, say };
}

describe("the bridge over a WebSocket", () => {
  test("a call made before the first connection waits for it and is answered by its id", async () => {
    const { bridge, sockets, say } = network();
    const answer = bridge.call("notices.seen", { through: 4 });
    expect(sockets[0]!.sent).toEqual([]);
    sockets[0]!.opened();
    expect(sockets[0]!.sent.map((text) => JSON.parse(text) as unknown)).toEqual([
      { id: 1, call: "notices.seen", input: { through: 4 } },
    ]);
    say(0, { id: 1, reply: { ok: true, value: { unseen: 2 } } });
    expect(await answer).toEqual({ ok: true, value: { unseen: 2 } });
  });

  test("a break answers what is in flight, and later calls at once", async () => {
    const { bridge, sockets } = network();
    sockets[0]!.opened();
    const inFlight = bridge.call("gateway.status", {});
    sockets[0]!.closed();
    expect(await inFlight).toMatchObject({
      ok: false,
      error: { code: "E_DISCONNECTED", details: { asked: true } },
    });
    expect(await bridge.call("gateway.status", {})).toMatchObject({
      ok: false,
      error: { code: "E_DISCONNECTED", details: { asked: false } },
    });
  });

  test("it tries again, ever more slowly up to five seconds, and says gap when it is back", () => {
    const { sockets, timers, news } = network();
    sockets[0]!.opened();
    const waits: number[] = [];
    for (let round = 0; round < 7; round += 1) {
      sockets.at(-1)!.closed();
      const timer = timers.pop()!;
      waits.push(timer.ms);
      timer.fn();
    }
    expect(waits).toEqual([250, 500, 1000, 2000, 4000, 5000, 5000]);
    sockets.at(-1)!.opened();
    expect(news).toEqual(["connecting", "up", "lost", "up", "gap"]);
  });

  test("pushes reach their listeners", () => {
    const { bridge, sockets, say } = network();
    const paths: string[] = [];
    bridge.on("config.changed", ({ path }) => paths.push(path));
    sockets[0]!.opened();
    say(0, { push: { seq: 1, bootId: "b", name: "config.changed", payload: { path: "agents" } } });
    expect(paths).toEqual(["agents"]);
  });

  test("no answer in two minutes is answered as lost", async () => {
    const { bridge, sockets, timers } = network();
    sockets[0]!.opened();
    const answer = bridge.call("gateway.status", {});
    const timer = timers.find(({ ms }) => ms === 120_000)!;
    timer.fn();
    expect(await answer).toMatchObject({ ok: false, error: { code: "E_DISCONNECTED" } });
  });

  test("closing it stops trying", () => {
    const { bridge, sockets, timers } = network();
    sockets[0]!.opened();
    bridge.close();
    sockets[0]!.closed();
    expect(timers).toEqual([]);
    expect(sockets).toHaveLength(1);
  });
});

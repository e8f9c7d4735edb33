import { describe, expect, test } from "vitest";
import type { LinkState, PushFrame } from "../../core/contract/bridge.ts";
import { pushHub } from "./push-hub.ts";

const frame = (seq: number, bootId = "b1"): PushFrame => ({
  seq,
  bootId,
  name: "config.changed",
  payload: { path: String(seq) },
});

function heard() {
  const hub = pushHub();
  const news: string[] = [];
  hub.onLink((state: LinkState | "gap") => news.push(state));
  hub.on("config.changed", ({ path }) => news.push(path));
  return { hub, news };
}

describe("the order of pushes", () => {
  test("frames in order arrive without a gap", () => {
    const { hub, news } = heard();
    hub.link("up");
    for (const seq of [1, 2, 3]) hub.deliver(frame(seq));
    expect(news).toEqual(["connecting", "up", "1", "2", "3"]);
  });

  test("a missed frame says gap before the next one", () => {
    const { hub, news } = heard();
    hub.link("up");
    hub.deliver(frame(1));
    hub.deliver(frame(3));
    expect(news).toEqual(["connecting", "up", "1", "gap", "3"]);
  });

  test("a late or repeated frame changes nothing", () => {
    const { hub, news } = heard();
    hub.link("up");
    hub.deliver(frame(1));
    hub.deliver(frame(2));
    hub.deliver(frame(1));
    hub.deliver(frame(2));
    expect(news).toEqual(["connecting", "up", "1", "2"]);
  });

  test("a new boot is a gap, whatever its number", () => {
    const { hub, news } = heard();
    hub.link("up");
    hub.deliver(frame(1));
    hub.deliver(frame(1, "b2"));
    expect(news).toEqual(["connecting", "up", "1", "gap", "1"]);
  });

  test("coming back after a loss is a gap; the first connection is not", () => {
    const { hub, news } = heard();
    hub.link("up");
    hub.deliver(frame(1));
    hub.link("lost");
    hub.link("up");
    hub.deliver(frame(1));
    expect(news).toEqual(["connecting", "up", "1", "lost", "up", "gap", "1"]);
  });

  test("who stopped listening hears nothing", () => {
    const hub = pushHub();
    const news: string[] = [];
    hub.on("config.changed", ({ path }) => news.push(path))();
    hub.deliver(frame(1));
    expect(news).toEqual([]);
  });
});

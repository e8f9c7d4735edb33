import { describe, expect, test } from "vitest";
import type { Notice } from "../../core/contract/domain.ts";
import { fakeBridge } from "../bridge/fake/fake-bridge.ts";
import { noticeEffect } from "./notice-policy.ts";
import { noticesStore } from "./notices.ts";
import { testTimer } from "./test-timer.ts";
import { toastsStore } from "./toasts.ts";

const notice = (id: number, more: Partial<Notice> = {}): Notice => ({
  id,
  atMs: id,
  kind: "info",
  title: `n${id}`,
  body: "",
  link: null,
  count: 1,
  seen: false,
  ...more,
});

async function started() {
  const timer = testTimer();
  const bridge = fakeBridge({ sessions: 0, nowMs: timer.nowMs() }, timer);
  const toasts = toastsStore(timer);
  const opened: string[] = [];
  const notices = noticesStore({
    bridge,
    timer,
    toasts,
    muted: () => ["watch"],
    inView: (link) => link === "/here",
    open: (link) => opened.push(link),
    words: { open: () => "Open", show: () => "Show", burst: (count) => `${count} at once` },
  });
  notices.start();
  await timer.pass(1);
  const raise = (one: Notice) => {
    bridge.world.notices = [one, ...bridge.world.notices.filter((other) => other.id !== one.id)];
    bridge.push("notice.raised", { notice: one, unseen: bridge.world.notices.length });
  };
  const toasted = () => toasts.store.getState().toasts;
  return { timer, bridge, notices, toasts, toasted, raise, opened };
}

describe("what a notice does on screen", () => {
  test.each([
    ["info", false, "toast"],
    ["watch", false, "none"],
    ["failed", false, "toast-stays"],
    ["needs_you", false, "toast-stays"],
    ["channel_down", false, "toast-stays"],
    ["failed", true, "none"],
  ] as const)("%s, in view: %s → %s", (kind, inView, effect) => {
    expect(noticeEffect(notice(1, { kind }), { muted: ["watch"], inView })).toBe(effect);
  });
});

describe("notices", () => {
  test("twenty changes of one pair are one entry and one toast", async () => {
    const { notices, toasted, raise } = await started();
    for (let count = 1; count <= 20; count += 1) raise(notice(1, { count, title: `${count}` }));
    expect(notices.store.getState().notices).toMatchObject([{ id: 1, count: 20 }]);
    expect(toasted()).toMatchObject([{ title: "20", count: 20 }]);
  });

  test("more than ten in ten seconds become one summary", async () => {
    const { toasted, raise } = await started();
    for (let id = 1; id <= 14; id += 1) raise(notice(id));
    expect(toasted()).toHaveLength(11);
    expect(toasted().at(-1)).toMatchObject({ title: "14 at once", count: 4 });
  });

  test("what is on screen, or muted, raises no toast but is recorded", async () => {
    const { notices, toasted, raise } = await started();
    raise(notice(1, { kind: "failed", link: "/here" }));
    raise(notice(2, { kind: "watch" }));
    expect(toasted()).toEqual([]);
    expect(notices.store.getState()).toMatchObject({ unseen: 2, notices: [{ id: 2 }, { id: 1 }] });
  });

  test("its action goes to the exact place", async () => {
    const { toasted, raise, opened } = await started();
    raise(notice(1, { kind: "failed", link: "/sessions/a" }));
    toasted()[0]!.actions[0]!.run();
    expect(opened).toEqual(["/sessions/a"]);
  });

  test("opening the panel marks all as seen", async () => {
    const { timer, bridge, notices, raise } = await started();
    raise(notice(1));
    notices.actions.setOpen(true);
    await timer.pass(1);
    expect(bridge.calls.at(-1)).toEqual({ name: "notices.seen", input: { through: 1 } });
    expect(notices.store.getState().unseen).toBe(0);
  });
});

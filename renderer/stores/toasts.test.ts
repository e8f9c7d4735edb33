import { describe, expect, test } from "vitest";
import { testTimer } from "./test-timer.ts";
import { toastsStore } from "./toasts.ts";

function made() {
  const timer = testTimer();
  const toasts = toastsStore(timer);
  const titles = () => toasts.store.getState().toasts.map((one) => one.title);
  return { timer, toasts, titles, ...toasts.actions };
}

describe("the clock of toasts", () => {
  test("info leaves after six seconds, undo after ten, errors stay", async () => {
    const { timer, raise, titles } = made();
    raise({ title: "info" });
    raise({ title: "undo", stay: "undo" });
    raise({ title: "failed", tone: "failed" });
    await timer.pass(5_500);
    expect(titles()).toEqual(["info", "undo", "failed"]);
    await timer.pass(1_000);
    expect(titles()).toEqual(["undo", "failed"]);
    await timer.pass(4_000);
    expect(titles()).toEqual(["failed"]);
    await timer.pass(60_000);
    expect(titles()).toEqual(["failed"]);
  });

  test("it stands still while anybody looks, and goes on with what was left", async () => {
    const { timer, raise, hold, titles } = made();
    raise({ title: "info" });
    await timer.pass(5_000);
    hold("hover", true);
    hold("focus", true);
    await timer.pass(60_000);
    hold("hover", false);
    await timer.pass(60_000);
    expect(titles()).toEqual(["info"]);
    hold("focus", false);
    await timer.pass(500);
    expect(titles()).toEqual(["info"]);
    await timer.pass(1_000);
    expect(titles()).toEqual([]);
  });
});

describe("one subject, one toast", () => {
  test("twenty changes are one toast that counts to twenty", () => {
    const { raise, toasts } = made();
    for (let turn = 0; turn < 20; turn += 1) raise({ title: `change ${turn}`, subject: "pair" });
    expect(toasts.store.getState().toasts).toMatchObject([{ title: "change 19", count: 20 }]);
  });

  test("after it was cleared, the next is a new one", () => {
    const { raise, dismiss, toasts } = made();
    dismiss(raise({ title: "a", subject: "pair" }));
    raise({ title: "b", subject: "pair" });
    expect(toasts.store.getState().toasts).toMatchObject([{ title: "b", count: 1 }]);
  });
});

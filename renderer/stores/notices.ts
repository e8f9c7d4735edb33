import { createStore } from "zustand/vanilla";
import type { Bridge } from "../../core/contract/bridge.ts";
import type { Notice } from "../../core/contract/domain.ts";
import type { WireError } from "../../core/contract/errors.ts";
import { isBurst, noticeEffect, type NoticeKind } from "./notice-policy.ts";
import type { Timer } from "./timer.ts";
import type { Toasts } from "./toasts.ts";

export interface NoticesState {
  /** Newest first. */
  notices: readonly Notice[];
  unseen: number;
  hasMore: boolean;
  open: boolean;
  error: WireError | null;
}

export interface NoticesOptions {
  bridge: Bridge;
  timer: Timer;
  toasts: Toasts;
  muted: () => readonly NoticeKind[];
  /** Whether the operator is looking at what this in-app link names. */
  inView: (link: string | null) => boolean;
  open: (link: string) => void;
  words: { open: () => string; show: () => string; burst: (count: number) => string };
}

const PAGE = 50;

/** A notice into the list: a further change of the same one replaces it. Newest first. */
export function withNotice(notices: readonly Notice[], notice: Notice): readonly Notice[] {
  return [notice, ...notices.filter((one) => one.id !== notice.id)].toSorted((a, b) => b.id - a.id);
}

/** The record of what the operator was told, and the taps on the shoulder that come with it. */
export function noticesStore(options: NoticesOptions) {
  const { bridge, timer, toasts } = options;
  const store = createStore<NoticesState>(() => ({
    notices: [],
    unseen: 0,
    hasMore: false,
    open: false,
    error: null,
  }));
  const raisedAtMs: number[] = [];

  const pull = async () => {
    const reply = await bridge.call("notices.list", { limit: PAGE });
    if (!reply.ok) {
      store.setState({ error: reply.error });
      return;
    }
    const { notices, unseen } = reply.value;
    store.setState({ notices, unseen, hasMore: notices.length === PAGE, error: null });
    if (store.getState().open) void seen();
  };

  const seen = async () => {
    const newest = store.getState().notices[0];
    if (newest === undefined) return;
    const reply = await bridge.call("notices.seen", { through: newest.id });
    if (reply.ok) store.setState({ unseen: reply.value.unseen });
  };

  const setOpen = (open: boolean) => {
    store.setState({ open });
    if (open) void seen();
    // What was unread stays marked while the panel is open, and is plain the next time.
    else
      store.setState(({ notices }) => ({
        notices: notices.map((one) => ({ ...one, seen: true })),
      }));
  };

  const tap = (notice: Notice) => {
    const context = { muted: options.muted(), inView: options.inView(notice.link) };
    const effect = noticeEffect(notice, context);
    if (effect === "none" || store.getState().open) return;
    const subject = `notice ${notice.id}`;
    const nowMs = timer.nowMs();
    const burst = !toasts.actions.has(subject) && isBurst(raisedAtMs, nowMs);
    if (!toasts.actions.has(subject)) raisedAtMs.push(nowMs);
    if (raisedAtMs.length > 50) raisedAtMs.shift();
    if (burst) {
      const show = {
        label: options.words.show(),
        run: () => {
          setOpen(true);
        },
      };
      const title = options.words.burst(raisedAtMs.filter((atMs) => nowMs - atMs < 10_000).length);
      toasts.actions.raise({ title, subject: "burst", actions: [show] });
      return;
    }
    const { link } = notice;
    toasts.actions.raise({
      title: notice.title,
      ...(notice.body === "" ? {} : { body: notice.body }),
      tone:
        notice.kind === "failed" || notice.kind === "channel_down"
          ? "failed"
          : notice.kind === "needs_you"
            ? "caution"
            : "info",
      stay: effect === "toast-stays" ? "stays" : "info",
      subject,
      actions:
        link === null
          ? []
          : [
              {
                label: options.words.open(),
                run: () => {
                  options.open(link);
                },
              },
            ],
    });
  };

  return {
    store,
    actions: {
      pull,
      setOpen,
      toggle() {
        setOpen(!store.getState().open);
      },
      async older() {
        const last = store.getState().notices.at(-1);
        if (last === undefined) return;
        const reply = await bridge.call("notices.list", { limit: PAGE, before: last.id });
        if (!reply.ok) return;
        const more = reply.value.notices;
        store.setState(({ notices }) => ({
          notices: [...notices, ...more],
          hasMore: more.length === PAGE,
        }));
      },
    },
    start() {
      const stops = [
        bridge.on("notice.raised", ({ notice, unseen }) => {
          store.setState(({ notices }) => ({ notices: withNotice(notices, notice), unseen }));
          tap(notice);
          if (store.getState().open) void seen();
        }),
        bridge.onLink((news) => {
          if (news === "up" || news === "gap") void pull();
        }),
      ];
      return () => {
        for (const stop of stops) stop();
      };
    },
  };
}

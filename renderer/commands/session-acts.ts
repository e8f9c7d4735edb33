import type { TFunction } from "i18next";
import { createStore } from "zustand/vanilla";
import type { Bridge, Reply } from "../../core/contract/bridge.ts";
import type { Receipt, SessionRow } from "../../core/contract/domain.ts";
import type { SessionKey } from "../../core/contract/ids.ts";
import type { Ask, Fact } from "../stores/ask.ts";
import type { Selection } from "../stores/selection.ts";
import type { Timer } from "../stores/timer.ts";
import type { Toasts } from "../stores/toasts.ts";
import type { Undo } from "../stores/undo.ts";
import { longTime } from "../i18n/words.ts";
import { sessionName } from "../i18n/session-name.ts";

export type SessionAct = "suspend" | "unsuspend" | "reset" | "stop";
export type Pending = ReadonlyMap<SessionKey, SessionAct>;

export interface ActsOptions {
  bridge: Bridge;
  timer: Timer;
  gatewayNowMs: () => number;
  ask: Ask;
  undo: Undo;
  toasts: Toasts;
  selection: Selection;
  put: (row: SessionRow) => void;
  t: TFunction;
}

/** Above this many sessions a reset wants the number typed (ux.md 7, level 3). */
const TYPED_ABOVE = 5;
/** Previews are asked for this many at most; beyond, the dialog tells totals it already knows. */
const PREVIEWED = 50;

/** Why an act does nothing for a row, as a key of `why.`; null where it can be done. */
export function whyNot(
  act: SessionAct,
  row: SessionRow,
): "alreadySuspended" | "notSuspended" | "notRunning" | "nothingToReset" | null {
  const suspended = row.state === "suspended" || row.state === "stuck";
  const running = row.turnStartedAtMs !== null || row.state === "running";
  switch (act) {
    case "suspend":
      return suspended ? "alreadySuspended" : null;
    case "unsuspend":
      return suspended ? null : "notSuspended";
    case "stop":
      return running ? null : "notRunning";
    case "reset":
      return row.messageCount === 0 && row.queueDepth === 0 && !running ? "nothingToReset" : null;
  }
}

/** Suspend, resume, reset and stop: the same from row, menu, key and palette, with the questions and undos of ux.md 7. */
export function sessionActs(options: ActsOptions) {
  const { bridge, timer, gatewayNowMs, ask, undo, toasts, selection, put, t } = options;
  const store = createStore<{ pending: Pending }>(() => ({ pending: new Map() }));

  const mark = (key: SessionKey, act: SessionAct | null) => {
    store.setState(({ pending }) => {
      const next = new Map(pending);
      if (act === null) next.delete(key);
      else next.set(key, act);
      return { pending: next };
    });
  };

  const send = (
    act: SessionAct,
    key: SessionKey,
  ): Promise<Reply<Receipt | { stopped: boolean }>> => {
    switch (act) {
      case "suspend":
        return bridge.call("sessions.suspend", { key });
      case "unsuspend":
        return bridge.call("sessions.unsuspend", { key });
      case "reset":
        return bridge.call("sessions.reset", { key });
      case "stop":
        return bridge.call("sessions.stop", { key });
    }
  };

  /** One act on one lane, marked while it is under way. */
  const perform = async (act: SessionAct, key: SessionKey) => {
    mark(key, act);
    const reply = await send(act, key);
    mark(key, null);
    if (reply.ok && "row" in reply.value && reply.value.row !== null) put(reply.value.row);
    return reply;
  };

  const undoUntil = (reply: Reply<Receipt | { stopped: boolean }>): number | null => {
    if (!reply.ok || !("undoUntilMs" in reply.value) || reply.value.undoUntilMs === null)
      return null;
    return timer.nowMs() + reply.value.undoUntilMs - gatewayNowMs(); // told by the gateway's clock
  };

  const reverse = { suspend: "unsuspend", unsuspend: "suspend" } as const;

  /** Level 1: at once, with an undo while the gateway honours one. */
  const atOnce = async (act: "suspend" | "unsuspend", row: SessionRow) => {
    const name = sessionName(row, t);
    const reply = await perform(act, row.key);
    if (!reply.ok) {
      const verb = t(`command.session.${act}`);
      const title = t("act.failed", { verb, name });
      toasts.actions.raise({ tone: "failed", title, body: reply.error.message });
      return;
    }
    const untilMs = undoUntil(reply);
    const title = t(`act.${act}ed`, { name });
    const body = t(`act.${act}edBody`);
    if (untilMs === null) toasts.actions.raise({ title, body });
    else
      undo.offer({
        keys: [row.key],
        title,
        body,
        untilMs,
        run: () => void perform(reverse[act], row.key),
      });
  };

  /** One after the other; failures stay selected so that the next try has them. */
  const each = async (
    act: SessionAct,
    rows: readonly SessionRow[],
    progress: (n: number) => void,
  ) => {
    const failed: SessionKey[] = [];
    let last: Reply<unknown> = { ok: true, value: null };
    let untilMs: number | null = null;
    for (const [at, row] of rows.entries()) {
      const reply = await perform(act, row.key);
      if (reply.ok) untilMs = undoUntil(reply) ?? untilMs;
      else {
        failed.push(row.key);
        last = reply;
      }
      progress(at + 1);
    }
    selection.actions.select(failed);
    if (failed.length > 0) {
      const title = t("act.failedMany", { failed: failed.length, total: rows.length });
      toasts.actions.raise({ tone: "failed", title });
    }
    return { failed, last, untilMs };
  };

  const askMany = (
    act: SessionAct,
    rows: readonly SessionRow[],
    skipped: readonly string[],
    facts: readonly Fact[],
  ) => {
    const count = rows.length;
    const one = rows[0];
    const single = count === 1 && one !== undefined && (act === "reset" || act === "stop");
    const name = one === undefined ? "" : sessionName(one, t);
    const verb =
      single && act === "reset"
        ? t("ask.verbReset")
        : single
          ? t("ask.verbStop")
          : t(`ask.verb${capital(act)}Many`, { count });
    ask.actions.ask({
      title: single
        ? t(act === "reset" ? "ask.reset" : "ask.stop", { name })
        : t(`ask.${act}Many`, { count }),
      body: t(`ask.${act}Body`),
      facts,
      ...(count > 1 ? { names: rows.map((row) => sessionName(row, t)) } : {}),
      skipped,
      verb,
      busyVerb: t(`act.busy.${act}`),
      tone: act === "reset" || act === "stop" ? "danger" : "plain",
      ...(act === "reset" && count > TYPED_ABOVE ? { typed: String(count) } : {}),
      async run(progress) {
        if (single) {
          const reply = await perform(act, one.key);
          // What happens in view needs no toast (ux.md 8): a stop shows in row and detail, a reset in the detail.
          const inView = act === "stop" || selection.store.getState().shown?.key === one.key;
          if (reply.ok && !inView) toasts.actions.raise({ title: t("act.resetDone", { name }) });
          return reply;
        }
        const { failed, last, untilMs } = await each(act, rows, progress);
        const done = rows.filter((row) => !failed.includes(row.key));
        if (untilMs !== null && (act === "suspend" || act === "unsuspend") && done.length > 0)
          undo.offer({
            keys: done.map((row) => row.key),
            title: t(`act.${act}edMany`, { count: done.length }),
            body: "",
            untilMs,
            run: () => void each(reverse[act], done, () => {}),
          });
        else if (done.length > 0 && act === "reset")
          toasts.actions.raise({ title: t("act.resetDoneMany", { count: done.length }) });
        return done.length > 0 ? { ok: true, value: null } : last;
      },
    });
  };

  /** What a reset would do, in numbers the gateway gives. */
  const resetFacts = async (rows: readonly SessionRow[]): Promise<Fact[]> => {
    const previews = await Promise.all(
      rows.slice(0, PREVIEWED).map(({ key }) => bridge.call("sessions.resetPreview", { key })),
    );
    let dropped = 0;
    let messages = 0;
    let oldestMs: number | null = null;
    for (const reply of previews) {
      if (!reply.ok) continue;
      dropped += reply.value.waitingDropped;
      messages += reply.value.messageCount;
      const since = reply.value.runningSinceMs;
      if (since !== null) oldestMs = Math.min(oldestMs ?? since, since);
    }
    const none = t("ask.none");
    return [
      {
        label: t("ask.waiting"),
        value: dropped === 0 ? none : t("ask.waitingDropped", { count: dropped }),
      },
      {
        label: t("ask.turn"),
        value:
          oldestMs === null
            ? none
            : t("ask.turnAborted", { length: longTime(gatewayNowMs() - oldestMs, t) }),
      },
      {
        label: t("ask.messages"),
        value: messages === 0 ? none : t("ask.messagesKept", { count: messages }),
      },
    ];
  };

  /** What a stop would do: the message in hand goes with the turn, those behind it wait (lifecycle 12.8). */
  const stopFacts = async (rows: readonly SessionRow[]): Promise<Fact[]> => {
    const oldest = Math.min(...rows.map((row) => row.turnStartedAtMs ?? gatewayNowMs()));
    const details = await Promise.all(
      rows.slice(0, PREVIEWED).map(({ key }) => bridge.call("sessions.get", { key })),
    );
    const waiting = details.flatMap((reply) => (reply.ok ? reply.value.waiting : []));
    const people = waiting.filter((item) => item.kind !== "internal");
    const dropped = people.filter((item) => item.place === "slot").length;
    const kept = people.length - dropped;
    const none = t("ask.none");
    return [
      {
        label: t("ask.turn"),
        value: t("ask.turnAborted", { length: longTime(gatewayNowMs() - oldest, t) }),
      },
      {
        label: t("ask.inHand"),
        value: dropped === 0 ? none : t("ask.waitingDropped", { count: dropped }),
      },
      {
        label: t("ask.behind"),
        value: kept === 0 ? none : t("ask.waitingKept", { count: kept }),
      },
    ];
  };

  /** Does `act` to these rows, or asks first where it must be asked. Rows it does nothing for are skipped, and named. */
  const act = async (what: SessionAct, rows: readonly SessionRow[]) => {
    const able = rows.filter((row) => whyNot(what, row) === null);
    const skipped = rows.flatMap((row) => {
      const why = whyNot(what, row);
      return why === null
        ? []
        : [t("ask.skippedWhy", { name: sessionName(row, t), why: t(`why.${why}`) })];
    });
    const first = able[0];
    if (first === undefined) {
      const why = rows[0] === undefined ? null : whyNot(what, rows[0]);
      if (why !== null) toasts.actions.raise({ title: t(`why.${why}`), subject: `why ${why}` });
      return;
    }
    if (able.length === 1 && rows.length === 1 && (what === "suspend" || what === "unsuspend"))
      await atOnce(what, first);
    else if (what === "reset") askMany(what, able, skipped, await resetFacts(able));
    else askMany(what, able, skipped, what === "stop" ? await stopFacts(able) : []);
  };

  return { store, act };
}

const capital = <A extends SessionAct>(act: A): Capitalize<A> =>
  (act.charAt(0).toUpperCase() + act.slice(1)) as Capitalize<A>;

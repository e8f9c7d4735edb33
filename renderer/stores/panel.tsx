import type { TFunction } from "i18next";
import { createContext, useContext, type ReactNode } from "react";
import type { Bridge } from "../../core/contract/bridge.ts";
import { sessionActs } from "../commands/session-acts.ts";
import { dispatcher } from "../keys/dispatcher.ts";
import { go } from "../shell/location.ts";
import { announcer } from "./announcer.ts";
import { askStore } from "./ask.ts";
import { drafts, type DraftPlace } from "./drafts.ts";
import { gatewayStore } from "./gateway.ts";
import { noticesStore } from "./notices.ts";
import type { PresentationStore } from "./presentation.ts";
import { readingsStore } from "./readings.ts";
import { selectionStore } from "./selection.ts";
import { sessionsStore } from "./sessions.ts";
import type { Timer } from "./timer.ts";
import { toastsStore } from "./toasts.ts";
import { undoStack } from "./undo.ts";
import { watching } from "./watching.ts";

export interface PanelOptions {
  bridge: Bridge;
  timer: Timer;
  presentation: PresentationStore;
  draftPlace: DraftPlace;
  t: TFunction;
}

/** Everything that lives as long as the page: the bridge, the stores on it, and what they share. */
export function createPanel({ bridge, timer, presentation, draftPlace, t }: PanelOptions) {
  const gateway = gatewayStore(bridge, timer);
  const readings = readingsStore(gateway, timer);
  const toasts = toastsStore(timer);
  const sessions = sessionsStore(bridge, timer, gateway.nowMs);
  const selection = selectionStore();
  const ask = askStore();
  const lanes = watching(bridge);
  const undo = undoStack({
    bridge,
    toasts,
    nowMs: timer.nowMs,
    words: { undo: () => t("action.undo"), gone: (reason) => t("toast.undoGone", { reason }) },
  });
  const notices = noticesStore({
    bridge,
    timer,
    toasts,
    muted: () => presentation.store.getState().mutedToasts,
    inView: (link) => link !== null && window.location.pathname === link,
    open: go,
    words: {
      open: () => t("action.open"),
      show: () => t("action.show"),
      burst: (count) => t("toast.burst", { count }),
    },
  });
  const acts = sessionActs({
    bridge,
    timer,
    gatewayNowMs: gateway.nowMs,
    ask,
    undo,
    toasts,
    selection,
    put: sessions.actions.put,
    t,
  });

  return {
    bridge,
    timer,
    gateway,
    readings,
    presentation,
    toasts,
    notices,
    sessions,
    selection,
    ask,
    undo,
    acts,
    lanes,
    drafts: drafts(draftPlace),
    announcer: announcer(timer),
    dispatcher: dispatcher(),
    /** Begins to listen; the returned function ends it. */
    start() {
      const stops = [gateway, readings, notices, sessions, lanes, undo].map((store) =>
        store.start(),
      );
      return () => {
        for (const stop of stops) stop();
      };
    },
  };
}

export type Panel = ReturnType<typeof createPanel>;

const PanelContext = createContext<Panel | null>(null);

export function PanelProvider({ panel, children }: { panel: Panel; children: ReactNode }) {
  return <PanelContext value={panel}>{children}</PanelContext>;
}

/** The panel's stores. Only below a `PanelProvider`. */
export function usePanel(): Panel {
  const panel = useContext(PanelContext);
  if (panel === null) throw new Error("usePanel needs a PanelProvider above it");
  return panel;
}

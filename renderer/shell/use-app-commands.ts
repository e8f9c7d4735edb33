import { useStore } from "zustand";
import type { Handlers } from "../keys/dispatcher.ts";
import { useCommands } from "../keys/use-commands.ts";
import { usePanel } from "../stores/panel.tsx";
import { closeInspector, go, setParams, useParams } from "./location.ts";
import { goToRegion } from "./regions.ts";
import { screens } from "./screens.ts";

export interface AppCommandOptions {
  openPalette: () => void;
  openShortcuts: () => void;
}

/** What the app answers where nothing nearer does. */
export function useAppCommands({ openPalette, openShortcuts }: AppCommandOptions): void {
  const { presentation, notices, undo, toasts, gateway, sessions, selection, dispatcher } =
    usePanel();
  const params = useParams();
  const noticesOpen = useStore(notices.store, (state) => state.open);
  const goHandlers: Handlers = {};
  for (const screen of screens)
    goHandlers[`go.${screen.id}`] = () => {
      go(screen.path);
      return true;
    };

  useCommands(
    {
      ...goHandlers,
      "app.palette": () => {
        openPalette();
        return true;
      },
      "app.shortcuts": () => {
        openShortcuts();
        return true;
      },
      "app.notices": () => {
        notices.actions.toggle();
        return true;
      },
      "app.rail": () => {
        presentation.actions.set({ railFolded: !presentation.store.getState().railFolded });
        return true;
      },
      "app.inspector": () => {
        const { focused } = selection.store.getState();
        if (params.has("open")) closeInspector();
        else if (focused !== null) setParams({ open: focused });
        else return false;
        return true;
      },
      "app.undo": () => {
        if (!undo.last()) return false;
        return true;
      },
      "app.refresh": () => {
        void gateway.actions.pull();
        void sessions.actions.pull();
        return true;
      },
      "app.live": () => {
        sessions.actions.setPaused(!sessions.store.getState().paused);
        return true;
      },
      "app.nextRegion": () => goToRegion(1),
      "app.previousRegion": () => goToRegion(-1),
      "app.timeForm": () => {
        presentation.actions.cycleTime();
        return true;
      },
      "app.theme": () => {
        presentation.actions.cycleTheme();
        return true;
      },
      "app.density": () => {
        presentation.actions.cycleDensity();
        return true;
      },
      "app.filter": () => {
        const field = document.querySelector<HTMLInputElement>("[data-filter]");
        if (field === null) return false;
        field.focus();
        field.select();
        return true;
      },
      // One step back: the topmost thing closes; views answer before this for what is theirs.
      "app.back": () => {
        const active = document.activeElement;
        if (noticesOpen) notices.actions.setOpen(false);
        else if (params.has("open")) closeInspector();
        else if (active instanceof HTMLElement && active.matches("input, textarea")) active.blur();
        else if (toasts.store.getState().toasts.length > 0) {
          const last = toasts.store.getState().toasts.at(-1);
          if (last !== undefined) toasts.actions.dismiss(last.id);
        } else return false;
        return true;
      },
      "session.open": () => {
        const { focused } = selection.store.getState();
        return focused !== null && dispatcher.dispatch("row.open", document.activeElement);
      },
    },
    "app",
  );
}

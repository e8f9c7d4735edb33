import Bell from "lucide-react/icons/bell";
import Clock from "lucide-react/icons/clock";
import Keyboard from "lucide-react/icons/keyboard";
import MessageSquare from "lucide-react/icons/message-square";
import MessageSquarePlus from "lucide-react/icons/message-square-plus";
import PanelLeft from "lucide-react/icons/panel-left";
import RefreshCw from "lucide-react/icons/refresh-cw";
import Rows from "lucide-react/icons/rows-3";
import SunMoon from "lucide-react/icons/sun-moon";
import Undo from "lucide-react/icons/undo-2";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import type { SessionRow } from "../../core/contract/domain.ts";
import { useSessionCommands } from "../commands/session-commands.ts";
import type { Icon } from "../components/button.tsx";
import type { StateName } from "../components/state-names.ts";
import { sessionName } from "../i18n/session-name.ts";
import type { CommandId } from "../keys/commands.ts";
import { usePanel } from "../stores/panel.tsx";
import { go, sessionPath } from "./location.ts";
import { ranked, type Findable } from "./palette-search.ts";
import { recent, remember } from "./recent.ts";
import { placeOf, screens } from "./screens.ts";
import { useNewSession } from "./use-new-session.ts";
import { usePalettePlaces } from "./use-palette-places.ts";

export interface PaletteItem extends Findable {
  id: string;
  icon: Icon;
  /** A session's state, in place of an icon. */
  state?: StateName;
  detail?: string;
  why: string | null;
  command?: CommandId;
  run: () => void;
}

const FOUND = 8;
const ASK_AFTER_MS = 120;
const appCommands = [
  ["app.notices", Bell],
  ["app.undo", Undo],
  ["app.refresh", RefreshCw],
  ["app.rail", PanelLeft],
  ["app.timeForm", Clock],
  ["app.theme", SunMoon],
  ["app.density", Rows],
  ["app.shortcuts", Keyboard],
] as const;

/** What the palette offers for what was typed, in groups: recent first where nothing is typed. */
export function usePaletteItems(text: string): { value: string; items: PaletteItem[] }[] {
  const { t } = useTranslation();
  const { dispatcher } = usePanel();
  const targets = useTargets();
  const found = useFoundSessions(text);
  const commandsFor = useSessionCommands();
  const startSession = useNewSession();
  const places = usePalettePlaces(text);

  const goTo: PaletteItem[] = screens.map((screen) => ({
    id: `go ${screen.id}`,
    icon: screen.icon,
    name: t(`screen.${screen.id}`),
    why: null,
    command: `go.${screen.id}`,
    run: () => {
      go(screen.path);
    },
  }));
  const act: PaletteItem[] = [
    ...(targets.length === 0
      ? []
      : commandsFor(targets)
          .filter(({ id, why }) => id !== "session.unsuspend" || why === null)
          .map(({ id, icon, named, why, run }) => ({
            id,
            icon,
            name: named,
            why,
            command: id,
            run,
          }))),
    {
      id: "new",
      icon: MessageSquarePlus,
      name: t("command.session.new"),
      why: null,
      command: "session.new" as const,
      run: startSession,
    },
  ];
  const panel: PaletteItem[] = appCommands.map(([id, icon]) => ({
    id,
    icon,
    name: t(`command.${id}`),
    why: null,
    command: id,
    run: () => {
      dispatcher.dispatch(id, document.activeElement);
    },
  }));
  const sessions: PaletteItem[] = found.map((row) => ({
    id: row.key,
    icon: MessageSquare,
    state: row.state,
    name: sessionName(row, t),
    words: row.key,
    detail: row.key,
    why: null,
    run: () => {
      remember(row);
      go(sessionPath(row.key));
    },
  }));

  // Typed words were matched by the gateway already, so sessions stay in its order.
  return [
    { value: t("palette.act"), items: ranked(text, act) },
    { value: t("palette.goTo"), items: ranked(text, [...goTo, ...places]) },
    { value: t("palette.sessions"), items: sessions },
    { value: t("palette.panel"), items: ranked(text, panel) },
  ].filter(({ items }) => items.length > 0);
}

/** What an action would act on: the session on a page of its own, else the selection, else the row with the focus. */
function useTargets(): SessionRow[] {
  const { selection, sessions } = usePanel();
  const [rows] = useState(() => {
    const { selected, focused, shown } = selection.store.getState();
    const known = sessions.store.getState().rows;
    const alone = placeOf(window.location.pathname).kind === "session";
    if (alone) return shown === null ? [] : [shown];
    if (selected.size > 0) return [...selected].flatMap((key) => known.get(key) ?? []);
    const row = focused === null ? undefined : known.get(focused);
    return [row ?? shown].filter((one) => one !== null);
  });
  return rows;
}

/** Sessions whose title or key fits the words, asked from the gateway; with nothing typed, the recent ones. */
function useFoundSessions(text: string): readonly SessionRow[] {
  const { bridge } = usePanel();
  const [found, setFound] = useState<readonly SessionRow[]>([]);
  const words = text.replace(/^\^/, "").replaceAll('"', " ").trim();
  useEffect(() => {
    if (words === "") return;
    let stale = false;
    const timer = setTimeout(() => {
      const filter = words
        .split(/\s+/)
        .map((word) => `"${word}"`)
        .join(" ");
      void bridge.call("sessions.list", { filter, limit: FOUND }).then((reply) => {
        if (reply.ok && !stale) setFound(reply.value.sessions);
      });
    }, ASK_AFTER_MS);
    return () => {
      stale = true;
      clearTimeout(timer);
    };
  }, [bridge, words]);
  return words === "" ? recent() : found;
}

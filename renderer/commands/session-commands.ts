import CirclePause from "lucide-react/icons/circle-pause";
import CirclePlay from "lucide-react/icons/circle-play";
import CircleStop from "lucide-react/icons/circle-stop";
import Copy from "lucide-react/icons/copy";
import Link from "lucide-react/icons/link";
import Maximize from "lucide-react/icons/maximize-2";
import RotateCcw from "lucide-react/icons/rotate-ccw";
import ScrollText from "lucide-react/icons/scroll-text";
import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import type { SessionRow } from "../../core/contract/domain.ts";
import type { Icon } from "../components/button.tsx";
import { copyText } from "../components/copy.ts";
import type { MenuItems } from "../components/menu.tsx";
import { sessionName } from "../i18n/session-name.ts";
import type { CommandId } from "../keys/commands.ts";
import type { Handlers } from "../keys/dispatcher.ts";
import { go, sessionPath, setParams } from "../shell/location.ts";
import { usePanel, type Panel } from "../stores/panel.tsx";
import { whyNot, type SessionAct } from "./session-acts.ts";

/** Something that can be done to sessions, the same from row, menu, key, palette and detail. */
export interface SessionCommand {
  id: CommandId;
  icon: Icon;
  tone: "plain" | "danger";
  /** Alone, as in a menu: "Suspend". */
  label: string;
  /** With its target, as in the palette: "Suspend Anna". */
  named: string;
  /** Why it cannot be done right now; null where it can. */
  why: string | null;
  run: () => void;
}

interface Trust {
  connected: boolean;
  stale: boolean;
}

const risky: ReadonlySet<SessionAct> = new Set(["reset", "stop"]);

/** The commands for these sessions, in their fixed order (ux.md 3). None is left out: what cannot be done says why. */
export function sessionCommands(
  panel: Panel,
  rows: readonly SessionRow[],
  { connected, stale }: Trust,
  t: TFunction,
): SessionCommand[] {
  const first = rows[0];
  const name =
    rows.length === 1 && first !== undefined
      ? sessionName(first, t)
      : t("act.many", { count: rows.length });
  const { pending } = panel.acts.store.getState();
  const none = first === undefined ? t("why.noTarget") : null;

  const act = (what: SessionAct, icon: Icon): SessionCommand => {
    const reasons = rows.map((row) => whyNot(what, row));
    const reason = reasons.find((one) => one !== null) ?? null;
    const busy = rows.length > 0 && rows.every((row) => pending.has(row.key));
    const why =
      none ??
      (!connected
        ? t("why.disconnected")
        : stale && risky.has(what)
          ? t("why.stale")
          : busy
            ? t("why.pending")
            : reason !== null && reasons.every((one) => one !== null)
              ? t(`why.${reason}`)
              : null);
    return {
      id: `session.${what}`,
      icon,
      tone: risky.has(what) ? "danger" : "plain",
      label: t(`command.session.${what}`),
      named: t(`act.${what}Named`, { name }),
      why,
      run() {
        if (why === null) void panel.acts.act(what, rows);
        else panel.toasts.actions.raise({ title: why, subject: `why ${why}` });
      },
    };
  };
  const look = (
    id: "session.open" | "session.logs" | "session.copyId" | "session.copyLink",
    named: "act.openNamed" | "act.logsNamed" | "act.copyIdNamed" | "act.copyLinkNamed",
    icon: Icon,
    run: (row: SessionRow) => void,
  ): SessionCommand => ({
    id,
    icon,
    tone: "plain",
    label: t(`command.${id}`),
    named: t(named, { name }),
    why: none,
    run: () => {
      if (first !== undefined) run(first);
    },
  });
  const copy = async (text: string, what: string) => {
    if (await copyText(text))
      panel.toasts.actions.raise({ title: t("copiedThing", { what }), subject: "copied" });
  };

  return [
    look("session.open", "act.openNamed", Maximize, (row) => {
      go(sessionPath(row.key));
    }),
    act("suspend", CirclePause),
    act("unsuspend", CirclePlay),
    act("stop", CircleStop),
    act("reset", RotateCcw),
    look("session.logs", "act.logsNamed", ScrollText, (row) => {
      const alone = window.location.pathname === sessionPath(row.key);
      setParams(alone ? { tab: "logs" } : { open: row.key, pin: "1", tab: "logs" });
    }),
    look("session.copyId", "act.copyIdNamed", Copy, (row) => void copy(row.key, t("session.key"))),
    look("session.copyLink", "act.copyLinkNamed", Link, (row) => {
      void copy(window.location.origin + sessionPath(row.key), t("session.link"));
    }),
  ];
}

/** The commands for sessions, kept true while the view is drawn. */
export function useSessionCommands(): (rows: readonly SessionRow[]) => SessionCommand[] {
  const { t } = useTranslation();
  const panel = usePanel();
  const connected = useStore(panel.gateway.store, (state) => state.link === "up");
  const stale = useStore(panel.gateway.store, (state) => state.stale);
  useStore(panel.acts.store, (state) => state.pending);
  return (rows) => sessionCommands(panel, rows, { connected, stale }, t);
}

/** As items of a menu: looking first, then acting, then what ends something. Only what fits the state is shown. */
export function asMenuItems(commands: readonly SessionCommand[]): MenuItems {
  const item = (id: CommandId) => {
    const command = commands.find((one) => one.id === id);
    if (command === undefined) return [];
    const { label, icon, why, run, tone } = command;
    return [{ label, icon, keys: id, why, tone, onSelect: run }];
  };
  const suspendable = commands.find((one) => one.id === "session.suspend")?.why === null;
  return [
    ...item("session.open"),
    "separator",
    ...item(suspendable ? "session.suspend" : "session.unsuspend"),
    ...item("session.stop"),
    ...item("session.reset"),
    "separator",
    ...item("session.logs"),
    ...item("session.copyId"),
    ...item("session.copyLink"),
  ];
}

/** The same as answers to keys. */
export function asHandlers(commandsFor: () => readonly SessionCommand[]): Handlers {
  const ids = [
    "session.suspend",
    "session.unsuspend",
    "session.stop",
    "session.reset",
    "session.logs",
    "session.copyId",
    "session.copyLink",
  ] as const;
  return Object.fromEntries(
    ids.map((id) => [
      id,
      () => {
        const command = commandsFor().find((one) => one.id === id);
        if (command === undefined) return false;
        command.run();
        return true;
      },
    ]),
  );
}

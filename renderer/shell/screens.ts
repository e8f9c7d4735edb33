import Bot from "lucide-react/icons/bot";
import Gauge from "lucide-react/icons/gauge";
import LifeBuoy from "lucide-react/icons/life-buoy";
import ListOrdered from "lucide-react/icons/list-ordered";
import MessagesSquare from "lucide-react/icons/messages-square";
import Radio from "lucide-react/icons/radio";
import Settings from "lucide-react/icons/settings-2";
import { lazy, type ComponentType } from "react";
import { asSessionKey, type SessionKey } from "../../core/contract/ids.ts";

export type ScreenId =
  "overview" | "sessions" | "queues" | "recovery" | "channels" | "agents" | "settings";

/** One screen of the panel: a later one is one more entry here, and a label in the locales. */
export interface Screen {
  id: ScreenId;
  path: string;
  /** Rail groups of ux.md 2: what is now, what changed, the machinery; settings stand apart. */
  group: "now" | "changed" | "machinery" | "settings";
  icon: ComponentType<{ size?: string | number; "aria-hidden"?: boolean }>;
  /** Shortcuts: `mod+1` by place in this table, and `g` then this letter. */
  letter: string;
  view: ComponentType;
}

export const screens: readonly Screen[] = [
  {
    id: "overview",
    path: "/",
    group: "now",
    icon: Gauge,
    letter: "o",
    view: lazy(async () => ({
      default: (await import("../views/overview/overview-view.tsx")).OverviewView,
    })),
  },
  {
    id: "sessions",
    path: "/sessions",
    group: "now",
    icon: MessagesSquare,
    letter: "s",
    view: lazy(async () => ({
      default: (await import("../views/sessions/sessions-view.tsx")).SessionsView,
    })),
  },
  {
    id: "queues",
    path: "/queues",
    group: "now",
    icon: ListOrdered,
    letter: "q",
    view: lazy(async () => ({
      default: (await import("../views/queues/queues-view.tsx")).QueuesView,
    })),
  },
  {
    id: "recovery",
    path: "/recovery",
    group: "machinery",
    icon: LifeBuoy,
    letter: "r",
    view: lazy(async () => ({
      default: (await import("../views/recovery/recovery-view.tsx")).RecoveryView,
    })),
  },
  {
    id: "channels",
    path: "/channels",
    group: "machinery",
    icon: Radio,
    letter: "c",
    view: lazy(async () => ({
      default: (await import("../views/channels/channels-view.tsx")).ChannelsView,
    })),
  },
  {
    id: "agents",
    path: "/agents",
    group: "machinery",
    icon: Bot,
    letter: "a",
    view: lazy(async () => ({
      default: (await import("../views/agents/agents-view.tsx")).AgentsView,
    })),
  },
  {
    id: "settings",
    path: "/settings",
    group: "settings",
    icon: Settings,
    letter: "e",
    view: lazy(async () => ({
      default: (await import("../views/settings/settings-view.tsx")).SettingsView,
    })),
  },
];

/** The first run: reached from Overview, not from the rail. */
export const welcomeView: ComponentType = lazy(async () => ({
  default: (await import("../views/first-run/first-run-view.tsx")).FirstRunView,
}));

export type Place =
  | { kind: "screen"; screen: Screen }
  | { kind: "session"; key: SessionKey }
  | { kind: "welcome" }
  | { kind: "nowhere" };

/** What a path names. A malformed one is nowhere: it shows the not-found page and calls nothing. */
export function placeOf(path: string): Place {
  const screen = screens.find((one) => one.path === path || `${one.path}/` === path);
  if (screen !== undefined) return { kind: "screen", screen };
  if (path === "/welcome") return { kind: "welcome" };
  const encoded = /^\/sessions\/([^/]+)$/.exec(path)?.[1];
  if (encoded === undefined) return { kind: "nowhere" };
  try {
    const key = decodeURIComponent(encoded);
    return key.length > 2048 ? { kind: "nowhere" } : { kind: "session", key: asSessionKey(key) };
  } catch {
    return { kind: "nowhere" };
  }
}

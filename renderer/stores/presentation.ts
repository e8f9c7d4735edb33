import { createStore } from "zustand/vanilla";
import type { NoticeKind } from "./notice-policy.ts";
import { timeForms, type TimeForm } from "../i18n/format.ts";
import { isLanguage, preferredLanguage, type Language } from "../i18n/languages.ts";

export const themes = ["system", "light", "dark"] as const;
export type Theme = (typeof themes)[number];
export const densities = ["compact", "comfortable"] as const;
export type Density = (typeof densities)[number];

/** What the page owns by itself: looks and habits, kept in this browser only. */
export interface Presentation {
  theme: Theme;
  density: Density;
  timeForm: TimeForm;
  language: Language;
  /** Bare letters as shortcuts (WCAG 2.1.4 wants a way to turn them off). */
  singleKeys: boolean;
  railFolded: boolean;
  /** Width of the inspector as a share of what it may have, 0 … 1. */
  inspectorWidth: number;
  /** Kinds of notices that raise no toast; the notices panel still records them. */
  mutedToasts: readonly NoticeKind[];
}

export const PRESENTATION_KEY = "signalbox.presentation"; // `public/theme.js` reads it before the first paint

const defaults: Presentation = {
  theme: "system",
  density: "compact",
  timeForm: "relative",
  language: "en",
  singleKeys: true,
  railFolded: false,
  inspectorWidth: 0.4,
  mutedToasts: [],
};

const oneOf = <T>(value: unknown, allowed: readonly T[], otherwise: T): T =>
  allowed.find((one) => one === value) ?? otherwise;

/** Reads what was kept; anything missing, damaged or from another version falls back to its default. */
export function readPresentation(text: string | null, wishes: readonly string[]): Presentation {
  let kept: Partial<Record<keyof Presentation, unknown>> = {};
  try {
    const parsed: unknown = JSON.parse(text ?? "{}");
    if (typeof parsed === "object" && parsed !== null) kept = parsed;
  } catch {
    // damaged by hand or by a crash: looks are not worth an error
  }
  const { inspectorWidth, mutedToasts } = kept;
  return {
    theme: oneOf(kept.theme, themes, defaults.theme),
    density: oneOf(kept.density, densities, defaults.density),
    timeForm: oneOf(kept.timeForm, timeForms, defaults.timeForm),
    language: isLanguage(kept.language) ? kept.language : preferredLanguage(wishes),
    singleKeys: kept.singleKeys !== false,
    railFolded: kept.railFolded === true,
    inspectorWidth:
      typeof inspectorWidth === "number" && inspectorWidth >= 0 && inspectorWidth <= 1
        ? inspectorWidth
        : defaults.inspectorWidth,
    mutedToasts: Array.isArray(mutedToasts)
      ? mutedToasts.filter((kind): kind is NoticeKind => typeof kind === "string")
      : defaults.mutedToasts,
  };
}

/** Keeps looks and habits. `keep` is called with the text to store after every change. */
export function presentationStore(initial: Presentation, keep: (text: string) => void) {
  const store = createStore<Presentation>(() => initial);
  store.subscribe((state) => {
    keep(JSON.stringify(state));
  });
  const cycle = <T>(values: readonly T[], value: T): T =>
    values[(values.indexOf(value) + 1) % values.length] ?? value;
  return {
    store,
    actions: {
      set(changes: Partial<Presentation>) {
        store.setState(changes);
      },
      cycleTime() {
        store.setState(({ timeForm }) => ({ timeForm: cycle(timeForms, timeForm) }));
      },
      cycleTheme() {
        store.setState(({ theme }) => ({ theme: cycle(themes, theme) }));
      },
      cycleDensity() {
        store.setState(({ density }) => ({ density: cycle(densities, density) }));
      },
    },
  };
}

export type PresentationStore = ReturnType<typeof presentationStore>;

/** The theme in force. */
export const shownTheme = (theme: Theme, systemIsDark: boolean): "light" | "dark" =>
  theme === "system" ? (systemIsDark ? "dark" : "light") : theme;

import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import { absoluteTime, clockTime, shortTime } from "../i18n/format.ts";
import { fromNow, longTime } from "../i18n/words.ts";
import { usePanel } from "../stores/panel.tsx";
import { useTicking } from "./ticking.ts";
import css from "./time.module.css";
import { Tooltip } from "./tooltip.tsx";
import { Unknown } from "./unknown.tsx";

export interface TimeProps {
  /** Epoch milliseconds; null is unknown. */
  atMs: number | null;
  /** "4 min ago", "4 min" (since then), or the time of day. `t` turns the first two into local or UTC. */
  form?: "ago" | "since" | "clock";
  /** False inside grid rows, where the row has the focus; the absolute form is in the title then. */
  focusable?: boolean;
}

/** A point in time, as the operator chose to see times; the absolute forms on hover and focus. */
export function Time({ atMs, form = "ago", focusable = true }: TimeProps) {
  const { t, i18n } = useTranslation();
  const { gateway, presentation } = usePanel();
  const timeForm = useStore(presentation.store, (state) => state.timeForm);
  const text = useTicking(
    () => {
      if (atMs === null) return "";
      if (form === "clock")
        return clockTime(atMs, i18n.language, timeForm === "utc" ? "UTC" : undefined);
      const nowMs = gateway.nowMs();
      if (timeForm !== "relative") return shortTime(atMs, nowMs, i18n.language, timeForm);
      return form === "ago" ? fromNow(atMs, nowMs, t) : longTime(nowMs - atMs, t);
    },
    form !== "clock" && timeForm === "relative",
  );
  if (atMs === null) return <Unknown />;
  const { local, utc } = absoluteTime(atMs, i18n.language);
  const absolute = `${local}\n${utc}`;
  const iso = new Date(atMs).toISOString();
  if (!focusable)
    return (
      <time dateTime={iso} title={absolute} className={css["time"]}>
        {text}
      </time>
    );
  return (
    <Tooltip text={absolute}>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the absolute form must be reachable by keys */}
      <time dateTime={iso} tabIndex={0} className={css["time"]}>
        {text}
      </time>
    </Tooltip>
  );
}

/** A length of time; with `fromMs` it counts on. */
export function Duration({ ms, fromMs }: { ms?: number; fromMs?: number | null }) {
  const { t } = useTranslation();
  const { gateway } = usePanel();
  const text = useTicking(
    () => (fromMs == null ? longTime(ms ?? 0, t) : longTime(gateway.nowMs() - fromMs, t)),
    fromMs != null,
  );
  return <span className={css["time"]}>{text}</span>;
}

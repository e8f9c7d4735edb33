import { useStore } from "zustand";
import { absoluteTime, clockTime, shortTime } from "../i18n/format.ts";
import { useWords } from "../i18n/use-words.ts";
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
  const { t, language } = useWords();
  const { gateway, presentation } = usePanel();
  const timeForm = useStore(presentation.store, (state) => state.timeForm);
  const text = useTicking(
    () => {
      if (atMs === null) return "";
      if (form === "clock")
        return clockTime(atMs, language, timeForm === "utc" ? "UTC" : undefined);
      const nowMs = gateway.nowMs();
      if (timeForm !== "relative") return shortTime(atMs, nowMs, language, timeForm);
      return form === "ago" ? fromNow(atMs, nowMs, t) : longTime(nowMs - atMs, t);
    },
    form !== "clock" && timeForm === "relative",
  );
  if (atMs === null) return <Unknown />;
  const iso = new Date(atMs).toISOString();
  const absolute = () => {
    const { local, utc } = absoluteTime(atMs, language);
    return `${local}\n${utc}`;
  };
  if (!focusable)
    return (
      <time
        dateTime={iso}
        className={css["time"]}
        // Made when it is wanted: a scrolling table would make thousands that nobody reads.
        onPointerEnter={(event) => {
          event.currentTarget.title = absolute();
        }}
      >
        {text}
      </time>
    );
  return (
    <Tooltip text={absolute()}>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the absolute form must be reachable by keys */}
      <time dateTime={iso} tabIndex={0} className={css["time"]}>
        {text}
      </time>
    </Tooltip>
  );
}

/** A length of time; with `fromMs` it counts on. */
export function Duration({ ms, fromMs }: { ms?: number; fromMs?: number | null }) {
  const { t } = useWords();
  const { gateway } = usePanel();
  const text = useTicking(
    () => (fromMs == null ? longTime(ms ?? 0, t) : longTime(gateway.nowMs() - fromMs, t)),
    fromMs != null,
  );
  return <span className={css["time"]}>{text}</span>;
}

import Pause from "lucide-react/icons/pause";
import Play from "lucide-react/icons/play";
import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import { StaleBadge } from "../components/stale-badge.tsx";
import { Tooltip } from "../components/tooltip.tsx";
import { Time } from "../components/time.tsx";
import { StateGlyph } from "../components/state-glyph.tsx";
import { usePanel } from "../stores/panel.tsx";
import css from "./live-switch.module.css";

/** Live, paused or stale, with the time of what is shown. Pressing it pauses or goes on. */
export function LiveSwitch() {
  const { t } = useTranslation();
  const { gateway, sessions } = usePanel();
  const heardAtMs = useStore(gateway.store, (state) => state.heardAtMs);
  const stale = useStore(gateway.store, (state) => state.stale);
  const paused = useStore(sessions.store, (state) => state.paused);
  const missed = useStore(sessions.store, (state) => state.missed.size);
  const freshAtMs = useStore(sessions.store, (state) => state.freshAtMs);
  const shownMs = stale || paused ? freshAtMs : heardAtMs;

  if (stale && !paused) return <StaleBadge atMs={shownMs} />;
  return (
    <Tooltip text={t(paused ? "live.resume" : "live.pause")} keys="app.live">
      <button
        type="button"
        className={css["switch"]}
        aria-pressed={!paused}
        aria-label={t(paused ? "live.resume" : "live.pause")}
        onClick={() => {
          sessions.actions.setPaused(!paused);
        }}
      >
        {paused ? <Play aria-hidden /> : <StateGlyph state="running" />}
        {paused ? t("live.paused", { count: missed }) : t("live.live")}
        {!paused && shownMs !== null && <Time atMs={shownMs} form="clock" focusable={false} />}
        {!paused && <Pause aria-hidden className={css["hint"]} />}
      </button>
    </Tooltip>
  );
}

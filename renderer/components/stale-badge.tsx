import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import { usePanel } from "../stores/panel.tsx";
import css from "./stale-badge.module.css";
import { Time } from "./time.tsx";
import { Tooltip } from "./tooltip.tsx";

/** Says since when nothing was heard of the gateway, while what is on screen may be old; else nothing. */
export function StaleBadge({ atMs }: { atMs?: number | null }) {
  const { t } = useTranslation();
  const { gateway } = usePanel();
  const stale = useStore(gateway.store, (state) => state.stale);
  const heardAtMs = useStore(gateway.store, (state) => state.heardAtMs);
  if (!stale) return null;
  const shownMs = atMs ?? heardAtMs;
  return (
    <Tooltip text={t("live.staleHint")}>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- its reason must be reachable by keys */}
      <output className={css["stale"]} tabIndex={0}>
        {t("live.stale", { time: "" })}
        {shownMs !== null && <Time atMs={shownMs} form="clock" focusable={false} />}
      </output>
    </Tooltip>
  );
}

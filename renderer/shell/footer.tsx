import Bell from "lucide-react/icons/bell";
import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import { Link } from "../components/link.tsx";
import { Bytes } from "../components/numbers.tsx";
import { StateGlyph } from "../components/state-glyph.tsx";
import type { StateName } from "../components/state-names.ts";
import { Duration } from "../components/time.tsx";
import { Tooltip } from "../components/tooltip.tsx";
import { groupedCount } from "../i18n/format.ts";
import { usePanel } from "../stores/panel.tsx";
import css from "./footer.module.css";

/** One line on the whole gateway: the only place that speaks of it being slow, draining or down. */
export function Footer() {
  const { t, i18n } = useTranslation();
  const { gateway, notices } = usePanel();
  const link = useStore(gateway.store, (state) => state.link);
  const status = useStore(gateway.store, (state) => state.status);
  const unseen = useStore(notices.store, (state) => state.unseen);
  const open = useStore(notices.store, (state) => state.open);
  const state: StateName = link === "up" ? (status?.state ?? "connecting") : link;
  const counts = status?.counts;
  const number = (value: number) => groupedCount(value, i18n.language);
  return (
    <footer className={css["footer"]} aria-label={t("region.footer")} data-region="footer">
      <Link href="/" quiet className={css["part"]}>
        <StateGlyph state={state} />
        {link === "lost" ? (
          t("footer.lost")
        ) : status === null ? (
          t("footer.connecting")
        ) : (
          <span>
            {t("footer.gateway", { state: t(`state.${state}`) })}{" "}
            <Duration fromMs={status.startedAtMs} />
          </span>
        )}
      </Link>
      {counts !== undefined && (
        <>
          <Link href="/sessions?segment=running" quiet className={css["part"]}>
            {t("footer.running", { value: number(counts.running) })}
          </Link>
          <Link href="/sessions?sort=-queue" quiet className={css["part"]}>
            {t("footer.queued", { value: number(counts.queued) })}
          </Link>
          <Link href="/sessions?segment=needs-me" quiet className={css["part"]}>
            {t("footer.needsYou", { value: number(counts.needsYou) })}
          </Link>
          <Link href="/" quiet className={css["part"]}>
            <span title={t("footer.unknownHint")}>
              {t("footer.unknown", { value: number(counts.unknownDeliveries) })}
            </span>
          </Link>
        </>
      )}
      {status !== null && (
        <>
          <Link href="/settings" quiet className={css["part"]}>
            <span>
              {t("footer.store", { version: status.storeVersion })}{" "}
              <Bytes value={status.storeBytes} />
            </span>
          </Link>
          <Link href="/settings" quiet className={css["part"]}>
            {status.version}
          </Link>
        </>
      )}
      <Tooltip text={t("command.app.notices")} keys="app.notices" side="top">
        <button
          type="button"
          className={css["bell"]}
          aria-expanded={open}
          aria-label={unseen > 0 ? t("footer.notices", { count: unseen }) : t("footer.noNotices")}
          onClick={notices.actions.toggle}
        >
          <Bell aria-hidden />
          {unseen > 0 && <span className={css["unseen"]}>{number(unseen)}</span>}
        </button>
      </Tooltip>
    </footer>
  );
}

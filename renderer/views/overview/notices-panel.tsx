import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import type { Notice } from "../../../core/contract/domain.ts";
import { Button } from "../../components/button.tsx";
import { Empty } from "../../components/empty.tsx";
import { Failure } from "../../components/failure.tsx";
import { Link } from "../../components/link.tsx";
import { Panel } from "../../components/panel.tsx";
import { StateGlyph } from "../../components/state-glyph.tsx";
import type { StateName } from "../../components/state-names.ts";
import { Time } from "../../components/time.tsx";
import { usePanel } from "../../stores/panel.tsx";
import css from "./overview.module.css";

const SHOWN = 8;

const looks: Record<Notice["kind"], StateName> = {
  info: "idle",
  watch: "resume_pending",
  needs_you: "waiting",
  failed: "failed",
  channel_down: "down",
};

/** The newest notices; all of them are in the notices panel. */
export function NoticesPanel() {
  const { t } = useTranslation();
  const { notices } = usePanel();
  const { notices: all, error } = useStore(notices.store);
  const open = () => {
    notices.actions.setOpen(true);
  };
  return (
    <Panel
      title={t("overview.notices.title")}
      flush
      actions={
        <Button size="small" tone="quiet" keys="app.notices" onClick={open}>
          {t("overview.notices.all")}
        </Button>
      }
    >
      {error !== null && (
        <Failure error={error} onRetry={() => void notices.actions.pull()} compact />
      )}
      {error === null && all.length === 0 && <Empty title={t("overview.notices.empty")} />}
      <ul className={css["notices"]} aria-label={t("overview.notices.label")}>
        {all.slice(0, SHOWN).map((notice) => (
          <li key={notice.id} className={css["notice"]}>
            <StateGlyph state={looks[notice.kind]} title={t(`notices.kind.${notice.kind}`)} />
            <span className={css["noticeWords"]}>
              <span className={css["noticeTitle"]}>
                {notice.link === null ? (
                  notice.title
                ) : (
                  <Link href={notice.link}>{notice.title}</Link>
                )}
                {notice.count > 1 && (
                  <span className={css["times"]}>
                    {t("notices.times", { count: notice.count })}
                  </span>
                )}
              </span>
              {notice.body !== "" && <span className={css["noticeBody"]}>{notice.body}</span>}
            </span>
            <Time atMs={notice.atMs} form="ago" />
          </li>
        ))}
      </ul>
    </Panel>
  );
}

import { Trans, useTranslation } from "react-i18next";
import { useStore } from "zustand";
import { Id } from "../../components/id.tsx";
import { Link } from "../../components/link.tsx";
import { Panel } from "../../components/panel.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { Time } from "../../components/time.tsx";
import { usePanel } from "../../stores/panel.tsx";
import css from "./overview.module.css";

/** The last boot in one sentence. */
export function BootPanel() {
  const { t } = useTranslation();
  const { gateway } = usePanel();
  const status = useStore(gateway.store, (state) => state.status);
  return (
    <Panel title={t("overview.boot.title")}>
      {status === null ? (
        <Skeleton width={36} lines={2} />
      ) : (
        <div className={css["boot"]}>
          <p>
            <Trans
              i18nKey={`overview.boot.${status.previousExit}`}
              components={{ at: <Time atMs={status.startedAtMs} /> }}
            />
            {status.previousExit !== "first_start" && (
              <>
                {" "}
                <Link href="/recovery">{t("overview.boot.report")}</Link>
              </>
            )}
          </p>
          <dl className={css["bootFacts"]}>
            <dt>{t("overview.boot.version")}</dt>
            <dd>{status.version}</dd>
            <dt>{t("overview.boot.bootId")}</dt>
            <dd>
              <Id value={status.bootId} label={t("overview.boot.id")} />
            </dd>
            <dt>{t("overview.boot.pid")}</dt>
            <dd>{status.pid}</dd>
          </dl>
        </div>
      )}
    </Panel>
  );
}

import { useTranslation } from "react-i18next";
import type { WaitingItem } from "../../../core/contract/domain.ts";
import { Empty } from "../../components/empty.tsx";
import { Time } from "../../components/time.tsx";
import css from "./queue-tab.module.css";

/** What waits in the lane, in the order in which it will run, and why it waits. */
export function QueueTab({ waiting }: { waiting: readonly WaitingItem[] }) {
  const { t } = useTranslation();
  if (waiting.length === 0) return <Empty title={t("session.queue.empty")} />;
  return (
    <ol className={css["queue"]} aria-label={t("session.queue.label")}>
      {waiting.map((item) => (
        <li key={item.inputId} className={css["item"]}>
          <p className={css["line"]}>
            <strong className={css["place"]}>{t(`session.queue.${item.place}`)}</strong>
            <span>{t(`session.queue.kind.${item.kind}`)}</span>
            <span className={css["from"]}>
              {t("session.queue.from")} {item.from}
            </span>
            <span className={css["wait"]}>
              {t("session.queue.accepted")} <Time atMs={item.acceptedAtMs} form="since" />
            </span>
          </p>
          <p className={css["preview"]}>{item.preview}</p>
          {item.reason !== "" && <p className={css["reason"]}>{item.reason}</p>}
        </li>
      ))}
    </ol>
  );
}

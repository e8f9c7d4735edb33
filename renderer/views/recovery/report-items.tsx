import { useTranslation } from "react-i18next";
import type { BootList, BootReport } from "../../../core/contract/calls-recovery.ts";
import { Link } from "../../components/link.tsx";
import { sessionPath } from "../../shell/location.ts";
import css from "./recovery.module.css";

/** What is behind a count: each session with its evidence. */
export function ReportItems({
  list,
  items,
}: {
  list: BootList;
  items: BootReport["lists"][BootList];
}) {
  const { t } = useTranslation();
  return (
    <section className={css["items"]} aria-label={t(`recovery.list.${list}`)}>
      <h3 className={css["small"]}>{t(`recovery.list.${list}`)}</h3>
      <ul>
        {items.items.map((item, index) => (
          // A report never changes, and one session may stand in a list twice: the place is the key.
          <li key={index} className={css["item"]}>
            <Link href={sessionPath(item.key)}>{item.title === "" ? item.key : item.title}</Link>
            <span className={css["evidence"]}>{item.evidence}</span>
          </li>
        ))}
      </ul>
      {items.count > items.items.length && (
        <p className={css["meta"]}>
          {t("recovery.more", { count: items.count - items.items.length })}
        </p>
      )}
    </section>
  );
}

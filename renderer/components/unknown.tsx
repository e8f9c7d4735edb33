import { useTranslation } from "react-i18next";
import css from "./unknown.module.css";

/** The dash for what was not reported: never a zero. */
export function Unknown({ why }: { why?: string }) {
  const { t } = useTranslation();
  const words = why ?? t("notReported");
  return (
    <span className={css["unknown"]} title={words}>
      <span aria-hidden>–</span>
      <span className="quiet">{words}</span>
    </span>
  );
}

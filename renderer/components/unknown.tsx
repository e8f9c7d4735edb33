import { useWords } from "../i18n/use-words.ts";
import css from "./unknown.module.css";

/** The dash for what was not reported: never a zero. */
export function Unknown({ why }: { why?: string }) {
  const { t } = useWords();
  const words = why ?? t("notReported");
  return (
    <span className={css["unknown"]} title={words}>
      <span aria-hidden>–</span>
      <span className="quiet">{words}</span>
    </span>
  );
}

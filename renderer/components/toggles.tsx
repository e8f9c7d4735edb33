import { useTranslation } from "react-i18next";
import { groupedCount } from "../i18n/format.ts";
import css from "./toggles.module.css";

export interface TogglesProps<Id extends string> {
  label: string;
  options: readonly { id: Id; label: string; count?: number }[];
  /** Those that are on. */
  value: ReadonlySet<Id>;
  onChange: (value: ReadonlySet<Id>) => void;
}

/** Chips of which any number may be on. */
export function Toggles<Id extends string>({ label, options, value, onChange }: TogglesProps<Id>) {
  const { i18n } = useTranslation();
  return (
    <fieldset className={css["toggles"]} aria-label={label}>
      {options.map(({ id, label: words, count }) => (
        <button
          key={id}
          type="button"
          className={css["toggle"]}
          aria-pressed={value.has(id)}
          onClick={() => {
            onChange(
              value.has(id)
                ? new Set([...value].filter((one) => one !== id))
                : new Set([...value, id]),
            );
          }}
        >
          {words}
          {count !== undefined && (
            <span className={css["count"]}>{groupedCount(count, i18n.language)}</span>
          )}
        </button>
      ))}
    </fieldset>
  );
}

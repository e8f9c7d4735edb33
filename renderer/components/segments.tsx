import { useTranslation } from "react-i18next";
import { groupedCount } from "../i18n/format.ts";
import css from "./segments.module.css";

export interface SegmentOption<Id extends string> {
  id: Id;
  label: string;
  count?: number | null;
}

export interface SegmentsProps<Id extends string> {
  label: string;
  options: readonly SegmentOption<Id>[];
  value: Id;
  onChange: (id: Id) => void;
}

/** A choice of one among a few views of the same thing, with how much each holds. */
export function Segments<Id extends string>({
  label,
  options,
  value,
  onChange,
}: SegmentsProps<Id>) {
  const { i18n } = useTranslation();
  return (
    <fieldset className={css["segments"]} aria-label={label}>
      {options.map(({ id, label: words, count }) => (
        <button
          key={id}
          type="button"
          className={css["segment"]}
          aria-pressed={id === value}
          onClick={() => {
            onChange(id);
          }}
        >
          {words}
          {count !== undefined && count !== null && (
            <span className={css["count"]}>{groupedCount(count, i18n.language)}</span>
          )}
        </button>
      ))}
    </fieldset>
  );
}

import { useTranslation } from "react-i18next";
import { byteSize, groupedCount, shortCount } from "../i18n/format.ts";
import { Unknown } from "./unknown.tsx";

export interface CountProps {
  value: number | null;
  /** Two digits and a unit, for glancing: 41 k. The whole number stands in the title. */
  short?: boolean;
}

/** A whole number as the locale groups it. */
export function Count({ value, short = false }: CountProps) {
  const { i18n } = useTranslation();
  if (value === null) return <Unknown />;
  const whole = groupedCount(value, i18n.language);
  return short ? <span title={whole}>{shortCount(value, i18n.language)}</span> : whole;
}

/** A size in the unit that suits it. */
export function Bytes({ value }: { value: number | null }) {
  const { i18n } = useTranslation();
  return value === null ? <Unknown /> : byteSize(value, i18n.language);
}

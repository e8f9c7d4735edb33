import { byteSize, groupedCount, shortCount } from "../i18n/format.ts";
import { useWords } from "../i18n/use-words.ts";
import { Unknown } from "./unknown.tsx";

export interface CountProps {
  value: number | null;
  /** Two digits and a unit, for glancing: 41 k. The whole number stands in the title. */
  short?: boolean;
}

/** A whole number as the locale groups it. */
export function Count({ value, short = false }: CountProps) {
  const { language } = useWords();
  if (value === null) return <Unknown />;
  const whole = groupedCount(value, language);
  return short ? <span title={whole}>{shortCount(value, language)}</span> : whole;
}

/** A size in the unit that suits it. */
export function Bytes({ value }: { value: number | null }) {
  const { language } = useWords();
  return value === null ? <Unknown /> : byteSize(value, language);
}

import { useEffect, useState } from "react";
import { useWords } from "../i18n/use-words.ts";
import css from "./skeleton.module.css";

const APPEAR_MS = 150; // ux.md 5: quicker answers need no placeholder

/** True once loading has taken long enough to be worth showing. */
export function useSlow(loading: boolean): boolean {
  const [slow, setSlow] = useState(false);
  useEffect(() => {
    if (!loading) return;
    const timer = setTimeout(() => {
      setSlow(true);
    }, APPEAR_MS);
    return () => {
      clearTimeout(timer);
      setSlow(false);
    };
  }, [loading]);
  return slow;
}

export interface SkeletonProps {
  /** In characters. */
  width?: number;
  lines?: number;
}

/** The place of what is still loading. It stands still. */
export function Skeleton({ width = 24, lines = 1 }: SkeletonProps) {
  const { t } = useWords();
  const slow = useSlow(true);
  return (
    <span className={css["skeleton"]} data-slow={slow || undefined}>
      <span className="quiet">{t("loading")}</span>
      {Array.from({ length: lines }, (_, line) => (
        <span
          key={line}
          className={css["line"]}
          style={{ inlineSize: `${line === lines - 1 && lines > 1 ? width * 0.6 : width}ch` }}
        />
      ))}
    </span>
  );
}

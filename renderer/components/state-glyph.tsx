import type { ReactNode } from "react";
import { cx } from "./cx.ts";
import css from "./state-glyph.module.css";
import { stateLooks, type GlyphName, type StateName } from "./state-names.ts";

/** Drawn on a 12 × 12 grid, told apart by outline alone: they must survive greyscale. */
const shapes: Record<GlyphName, ReactNode> = {
  square: <rect x="2" y="2" width="8" height="8" rx="1" fill="currentColor" />,
  triangle: <path d="M6 1.4 11.2 10.6H.8Z" fill="currentColor" />,
  question: (
    <>
      <circle cx="6" cy="6" r="5.5" fill="currentColor" />
      <path
        d="M4.4 4.7a1.7 1.7 0 1 1 2.5 1.5c-.6.3-.9.6-.9 1.2"
        fill="none"
        stroke="var(--ground-0)"
        strokeWidth="1.3"
        strokeLinecap="round"
      />
      <circle cx="6" cy="9.1" r=".85" fill="var(--ground-0)" />
    </>
  ),
  pause: (
    <>
      <rect x="2.2" y="1.5" width="2.6" height="9" rx=".6" fill="currentColor" />
      <rect x="7.2" y="1.5" width="2.6" height="9" rx=".6" fill="currentColor" />
    </>
  ),
  disc: <circle cx="6" cy="6" r="4.6" fill="currentColor" />,
  quarter: (
    <>
      <circle cx="6" cy="6" r="4.6" fill="none" stroke="currentColor" strokeWidth="1.5" />
      <path d="M6 6V1.4A4.6 4.6 0 0 1 10.6 6Z" fill="currentColor" />
    </>
  ),
  again: (
    <>
      <path
        d="M9.9 4.2A4.4 4.4 0 1 0 10.4 6.8"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.6"
        strokeLinecap="round"
      />
      <path d="M11.4 1.3v4H7.6Z" fill="currentColor" />
    </>
  ),
  ring: <circle cx="6" cy="6" r="4.4" fill="none" stroke="currentColor" strokeWidth="1.5" />,
  check: (
    <path
      d="M1.8 6.6 4.8 9.4 10.2 2.8"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.9"
      strokeLinecap="round"
      strokeLinejoin="round"
    />
  ),
  "hollow-square": (
    <rect
      x="2.4"
      y="2.4"
      width="7.2"
      height="7.2"
      rx="1"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
    />
  ),
  dash: <path d="M2.4 6h7.2" stroke="currentColor" strokeWidth="1.8" strokeLinecap="round" />,
};

export interface StateGlyphProps {
  state: StateName;
  /** Its word, where the word does not stand beside it. */
  title?: string;
}

/** The drawn sign of a state, in the state's colour. */
export function StateGlyph({ state, title }: StateGlyphProps) {
  const { glyph, colour } = stateLooks[state];
  return (
    <svg
      className={cx(css["glyph"], css[colour])}
      viewBox="0 0 12 12"
      role={title === undefined ? undefined : "img"}
      aria-hidden={title === undefined}
      aria-label={title}
    >
      {title !== undefined && <title>{title}</title>}
      {shapes[glyph]}
    </svg>
  );
}

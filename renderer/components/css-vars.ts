import type { CSSProperties } from "react";

/** Custom properties for `style`: how a number is handed to a stylesheet, where its unit and its meaning are. */
export const cssVars = (values: Record<`--${string}`, string | number>): CSSProperties => values;

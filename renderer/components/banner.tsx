import type { ReactNode } from "react";
import css from "./banner.module.css";
import { cx } from "./cx.ts";
import glyphCss from "./state-glyph.module.css";
import { StateGlyph } from "./state-glyph.tsx";

export interface BannerProps {
  tone: "info" | "caution" | "failed";
  title: string;
  children?: ReactNode;
  actions?: ReactNode;
}

const looks = {
  info: { state: "running", colour: "idle" },
  caution: { state: "waiting", colour: "waiting" },
  failed: { state: "failed", colour: "failed" },
} as const;

/** Something about the whole screen that has to be known before anything on it is. */
export function Banner({ tone, title, children, actions }: BannerProps) {
  const { state, colour } = looks[tone];
  return (
    <div
      className={cx(css["banner"], glyphCss[colour])}
      role={tone === "info" ? "status" : "alert"}
    >
      {tone !== "info" && <StateGlyph state={state} />}
      <div className={css["words"]}>
        <strong>{title}</strong>
        {children !== undefined && <div className={css["more"]}>{children}</div>}
      </div>
      {actions !== undefined && <div className={css["actions"]}>{actions}</div>}
    </div>
  );
}

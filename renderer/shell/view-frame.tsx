import { useEffect, useRef, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { LiveSwitch } from "./live-switch.tsx";
import css from "./view-frame.module.css";

export interface ViewFrameProps {
  title: string;
  /** Beside the title, e.g. the filter field. */
  filter?: ReactNode;
  /** A second line under the bar, e.g. segments. */
  segments?: ReactNode;
  actions?: ReactNode;
  /** Shows the live / pause switch. */
  live?: boolean;
  /** `page`: the body scrolls, with room around it. `none`: the view fills the body by itself. */
  scroll?: "page" | "none";
  /** For tables and overviews: the page takes the width it gets. */
  wide?: boolean;
  children: ReactNode;
}

/** The frame of every screen: the top bar with the one `h1`, and `main`. */
export function ViewFrame(props: ViewFrameProps) {
  const { title, filter, segments, actions, live = false, scroll = "page", wide, children } = props;
  const { t } = useTranslation();
  const main = useRef<HTMLElement>(null);
  useEffect(() => {
    document.title = `${title} · ${t("app")}`;
  }, [title, t]);
  return (
    <div className={css["frame"]}>
      <header className={css["top"]} aria-label={t("region.topBar")}>
        <div className={css["bar"]}>
          <h1 className={css["title"]}>{title}</h1>
          {filter !== undefined && <div className={css["filter"]}>{filter}</div>}
          <div className={css["actions"]}>
            {actions}
            {live && <LiveSwitch />}
          </div>
        </div>
        {segments !== undefined && <div className={css["segments"]}>{segments}</div>}
      </header>
      <main
        ref={main}
        id="content"
        className={css["main"]}
        data-scroll={scroll}
        data-region="main"
        tabIndex={-1}
        aria-label={title}
      >
        {scroll === "page" ? (
          <div className={css["page"]} data-wide={wide === true ? true : undefined}>
            {children}
          </div>
        ) : (
          children
        )}
      </main>
    </div>
  );
}

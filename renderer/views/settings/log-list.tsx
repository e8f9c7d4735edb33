import { useVirtualizer } from "@tanstack/react-virtual";
import ArrowDown from "lucide-react/icons/arrow-down";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import { asSessionKey } from "../../../core/contract/ids.ts";
import type { LogLine } from "../../../core/contract/domain.ts";
import { Button } from "../../components/button.tsx";
import { Link } from "../../components/link.tsx";
import { useToken } from "../../components/use-token.ts";
import { absoluteTime, clockTime } from "../../i18n/format.ts";
import { sessionPath } from "../../shell/location.ts";
import { usePanel } from "../../stores/panel.tsx";
import { chipOf } from "./log-filter.ts";
import css from "./logs.module.css";

const NEAR_END_PX = 24;
const PADDING_PX = 4;

/** Log lines, oldest first. It follows new ones until it is scrolled up; a button leads back. */
export function LogList({ lines, wrap }: { lines: readonly LogLine[]; wrap: boolean }) {
  const { t } = useTranslation();
  const scroller = useRef<HTMLElement>(null);
  const [following, setFollowing] = useState(true);
  const lineHeight = useToken("--target");
  // oxlint-disable-next-line react/incompatible-library -- its functions are not memoized, and nothing here memoizes them
  const virtual = useVirtualizer<HTMLElement, HTMLLIElement>({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => lineHeight,
    getItemKey: (index) => lines[index]?.seq ?? index,
    overscan: 12,
    paddingStart: PADDING_PX,
    paddingEnd: PADDING_PX,
  });
  const last = lines.at(-1)?.seq;
  useEffect(() => {
    if (following && lines.length > 0) virtual.scrollToIndex(lines.length - 1, { align: "end" });
  }, [virtual, following, last, lines.length, wrap]);

  return (
    <div className={css["listFrame"]}>
      <section
        ref={scroller}
        className={css["list"]}
        data-wrap={wrap || undefined}
        aria-label={t("settings.logs.label")}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by keys
        tabIndex={0}
        onScroll={(event) => {
          const { scrollHeight, scrollTop, clientHeight } = event.currentTarget;
          setFollowing(scrollHeight - scrollTop - clientHeight < NEAR_END_PX);
        }}
      >
        <ol className={css["lines"]} style={{ blockSize: `${virtual.getTotalSize()}px` }}>
          {virtual.getVirtualItems().map((item) => {
            const line = lines[item.index];
            return (
              line !== undefined && (
                <li
                  key={item.key}
                  ref={virtual.measureElement}
                  data-index={item.index}
                  className={css["line"]}
                  data-level={chipOf(line)}
                  style={{ transform: `translateY(${item.start}px)` }}
                >
                  <LineCells line={line} />
                </li>
              )
            );
          })}
        </ol>
      </section>
      {!following && (
        <div className={css["jump"]}>
          <Button
            size="small"
            icon={ArrowDown}
            onClick={() => {
              setFollowing(true);
            }}
          >
            {t("settings.logs.jump")}
          </Button>
        </div>
      )}
    </div>
  );
}

function LineCells({ line }: { line: LogLine }) {
  const { i18n } = useTranslation();
  const { presentation } = usePanel();
  const utc = useStore(presentation.store, (state) => state.timeForm === "utc");
  const { local, utc: inUtc } = absoluteTime(line.atMs, i18n.language);
  return (
    <>
      <time dateTime={new Date(line.atMs).toISOString()} title={`${local}\n${inUtc}`}>
        {clockTime(line.atMs, i18n.language, utc ? "UTC" : undefined)}
      </time>
      <span className={css["level"]}>{line.level}</span>
      <span className={css["area"]}>{line.area}</span>
      <span className={css["event"]} title={line.event}>
        {line.event}
      </span>
      <span className={css["text"]}>
        {line.text}
        {line.sessionKey !== null && (
          <>
            {line.text !== "" && " "}
            <Link
              href={sessionPath(asSessionKey(line.sessionKey))}
              quiet
              className={css["session"]}
            >
              {line.sessionKey}
            </Link>
          </>
        )}
      </span>
    </>
  );
}

import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import type { SessionKey } from "../../../core/contract/ids.ts";
import { Empty } from "../../components/empty.tsx";
import { Failure } from "../../components/failure.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { StateChip } from "../../components/state-chip.tsx";
import { Time } from "../../components/time.tsx";
import { logsStore } from "../../stores/logs.ts";
import { usePanel } from "../../stores/panel.tsx";
import { useViewStore } from "../../stores/use-view-store.ts";
import css from "./logs-tab.module.css";

/** The log lines of one session, newest first: never what was said, only what happened. */
export function LogsTab({ sessionKey }: { sessionKey: SessionKey }) {
  const { t } = useTranslation();
  const { bridge } = usePanel();
  const logs = useViewStore(() => logsStore(bridge, sessionKey), [bridge, sessionKey]);
  const { lines, loaded, error } = useStore(logs.store);
  if (error !== null && !loaded)
    return <Failure error={error} onRetry={() => void logs.actions.pull()} />;
  if (!loaded)
    return (
      <div className={css["loading"]}>
        <Skeleton width={48} lines={4} />
      </div>
    );
  if (lines.length === 0) return <Empty title={t("session.logs.empty")} />;
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, so keys must reach it
    <ul className={css["logs"]} aria-label={t("session.logs.label")} tabIndex={0}>
      {lines.toReversed().map((line) => (
        <li key={line.seq} className={css["line"]}>
          <Time atMs={line.atMs} form="clock" focusable={false} />
          <span className={css["level"]}>
            {line.level === "error" || line.level === "fatal" ? (
              <StateChip state="failed" bare word={line.level} />
            ) : line.level === "warn" ? (
              <StateChip state="waiting" bare word={line.level} />
            ) : (
              line.level
            )}
          </span>
          <code className={css["event"]}>
            {line.area}.{line.event}
          </code>
          <span className={css["text"]}>{line.text}</span>
        </li>
      ))}
    </ul>
  );
}

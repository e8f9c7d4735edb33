import Pause from "lucide-react/icons/pause";
import Play from "lucide-react/icons/play";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import type { LogLine } from "../../../core/contract/domain.ts";
import { Button } from "../../components/button.tsx";
import { CopyButton } from "../../components/copy-button.tsx";
import { Empty } from "../../components/empty.tsx";
import { Failure } from "../../components/failure.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { TextInput } from "../../components/text-input.tsx";
import { Toggles } from "../../components/toggles.tsx";
import { groupedCount } from "../../i18n/format.ts";
import { setParams, useParams } from "../../shell/location.ts";
import { logsStore } from "../../stores/logs.ts";
import { usePanel } from "../../stores/panel.tsx";
import type { SettingsStore } from "../../stores/settings.ts";
import { useViewStore } from "../../stores/use-view-store.ts";
import { asJsonLines, chipCounts, logLevels, matchingLines, type LogChip } from "./log-filter.ts";
import { LogList } from "./log-list.tsx";
import { ChoiceSetting } from "./setting-row.tsx";
import css from "./logs.module.css";

/** The gateway's log as it is written: chosen by level and words, followed or paused, copied as JSON lines. */
export function LogsSection({ store }: { store: SettingsStore }) {
  const { t, i18n } = useTranslation();
  const { bridge } = usePanel();
  const params = useParams();
  const session = params.get("session") ?? undefined;
  const logs = useViewStore(() => logsStore(bridge, session), [bridge, session]);
  const { lines, loaded, error } = useStore(logs.store);
  const [frozen, setFrozen] = useState<readonly LogLine[] | null>(null);
  const [levels, setLevels] = useState<ReadonlySet<LogChip>>(new Set(logLevels));
  const [text, setText] = useState("");
  const [wrap, setWrap] = useState(false);

  const all = frozen ?? lines;
  const shown = useMemo(() => matchingLines(all, levels, text), [all, levels, text]);
  const counts = useMemo(() => chipCounts(all), [all]);
  const frozenAt = frozen?.at(-1)?.seq ?? 0;
  const waiting = frozen === null ? 0 : lines.filter((line) => line.seq > frozenAt).length;
  const count = (value: number) => groupedCount(value, i18n.language);
  return (
    <>
      <ChoiceSetting
        store={store}
        path="log.level"
        label={t("settings.logs.level")}
        hint={t("settings.logs.levelHint")}
        options={logLevels.map((value) => ({ value, label: value }))}
      />
      <div className={css["tools"]}>
        <Toggles
          label={t("settings.logs.levels")}
          options={logLevels.map((id) => ({ id, label: id, count: counts[id] }))}
          value={levels}
          onChange={setLevels}
        />
        <span className={css["filter"]}>
          <TextInput
            type="search"
            wide
            label={t("settings.logs.filter")}
            placeholder={t("settings.logs.filterPlace")}
            value={text}
            onChange={setText}
          />
        </span>
        <Button
          size="small"
          icon={frozen === null ? Pause : Play}
          onClick={() => {
            setFrozen(frozen === null ? lines : null);
          }}
        >
          {frozen === null
            ? t("settings.logs.pause")
            : t("settings.logs.resume", { count: waiting })}
        </Button>
        <Toggles
          label={t("settings.logs.wrap")}
          options={[{ id: "wrap", label: t("settings.logs.wrap") }]}
          value={new Set(wrap ? ["wrap"] : [])}
          onChange={(on) => {
            setWrap(on.has("wrap"));
          }}
        />
        <CopyButton
          text={() => asJsonLines(shown)}
          label={t("settings.logs.copy")}
          what={t("settings.logs.copied", { count: shown.length })}
        />
      </div>
      {session !== undefined && (
        <p className={css["about"]}>
          <span className={css["session"]}>{t("settings.logs.session", { key: session })}</span>
          <Button
            size="small"
            tone="quiet"
            onClick={() => {
              setParams({ session: null });
            }}
          >
            {t("settings.logs.allSessions")}
          </Button>
        </p>
      )}
      {error !== null && <Failure error={error} onRetry={() => void logs.actions.pull()} compact />}
      {!loaded && error === null && <Skeleton width={64} lines={6} />}
      {loaded && shown.length === 0 && (
        <Empty
          title={
            all.length === 0
              ? t("settings.logs.empty")
              : t("settings.logs.match", { shown: count(0), total: count(all.length) })
          }
          action={
            all.length > 0 && (
              <Button
                onClick={() => {
                  setText("");
                  setLevels(new Set(logLevels));
                }}
              >
                {t("action.clearFilter")}
              </Button>
            )
          }
        />
      )}
      {loaded && shown.length > 0 && <LogList lines={shown} wrap={wrap} />}
      {loaded && shown.length > 0 && (
        <p className={css["about"]}>
          {shown.length === all.length
            ? t("settings.logs.shown", { count: shown.length })
            : t("settings.logs.match", { shown: count(shown.length), total: count(all.length) })}
        </p>
      )}
    </>
  );
}

import { useEffect, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import type { BootReport } from "../../../core/contract/calls-recovery.ts";
import type { WireError } from "../../../core/contract/errors.ts";
import { Failure } from "../../components/failure.tsx";
import { Field } from "../../components/field.tsx";
import { Select } from "../../components/select.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { absoluteTime } from "../../i18n/format.ts";
import { setParams, useParams } from "../../shell/location.ts";
import { usePanel } from "../../stores/panel.tsx";
import { BootReportPanel } from "./boot-report-panel.tsx";
import type { RecoveryStores } from "./recovery-stores.ts";
import css from "./recovery.module.css";

/** One start, and another beside it where two are compared. */
export function BootReports({ boots }: { boots: RecoveryStores["boots"] }) {
  const { t, i18n } = useTranslation();
  const { value, error } = useStore(boots.store);
  const params = useParams();
  const chosen = params.get("boot") ?? value?.boots[0]?.bootId ?? null;
  const compared = params.get("with");
  const options = useMemo(
    () =>
      (value?.boots ?? []).map((boot) => ({
        value: boot.bootId,
        label: `${absoluteTime(boot.startedAtMs, i18n.language).local} · ${t(`recovery.exit.${boot.previousExit}`)}`,
      })),
    [value, i18n.language, t],
  );
  if (value === null)
    return error === null ? (
      <Skeleton width={60} lines={6} />
    ) : (
      <Failure error={error} onRetry={() => void boots.actions.pull()} />
    );
  return (
    <div className={css["reports"]}>
      <div className={css["choose"]}>
        <Field label={t("recovery.boot")}>
          <Select
            value={chosen ?? ""}
            options={options}
            onChange={(id) => {
              setParams({ boot: id });
            }}
          />
        </Field>
        <Field label={t("recovery.compare")}>
          <Select
            value={compared ?? ""}
            options={[{ value: "", label: t("recovery.compareNone") }, ...options]}
            onChange={(id) => {
              setParams({ with: id === "" ? null : id });
            }}
          />
        </Field>
      </div>
      <div className={css["sideBySide"]}>
        {chosen !== null && <OneReport key={chosen} bootId={chosen} />}
        {compared !== null && <OneReport key={`with-${compared}`} bootId={compared} />}
      </div>
    </div>
  );
}

function OneReport({ bootId }: { bootId: string }) {
  const { bridge } = usePanel();
  const [report, setReport] = useState<BootReport | null>(null);
  const [error, setError] = useState<WireError | null>(null);
  const [asked, setAsked] = useState(0);
  useEffect(() => {
    let late = false;
    void bridge.call("recovery.report", { bootId }).then((reply) => {
      if (late) return;
      if (reply.ok) setReport(reply.value);
      else setError(reply.error);
    });
    return () => {
      late = true;
    };
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- asked again by hand
  }, [bridge, bootId, asked]);
  if (report !== null) return <BootReportPanel report={report} />;
  if (error === null) return <Skeleton width={60} lines={6} />;
  return (
    <Failure
      error={error}
      onRetry={() => {
        setError(null);
        setAsked((count) => count + 1);
      }}
    />
  );
}

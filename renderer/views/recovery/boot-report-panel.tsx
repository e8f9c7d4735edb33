import { useState } from "react";
import { Trans, useTranslation } from "react-i18next";
import {
  bootLists,
  type BootList,
  type BootReport,
} from "../../../core/contract/calls-recovery.ts";
import { cssVars } from "../../components/css-vars.ts";
import { Id } from "../../components/id.tsx";
import { Count } from "../../components/numbers.tsx";
import { Panel } from "../../components/panel.tsx";
import { Time } from "../../components/time.tsx";
import { ReportItems } from "./report-items.tsx";
import css from "./recovery.module.css";

/** One start: how the boot before it ended, its phases as a bar, and counts that open lists. */
export function BootReportPanel({ report }: { report: BootReport }) {
  const { t } = useTranslation();
  const [open, setOpen] = useState<BootList | null>(
    () => bootLists.find((list) => report.lists[list].count > 0) ?? null,
  );
  const totalMs = report.phases.reduce((sum, phase) => sum + phase.ms, 0);
  return (
    <Panel title={t("recovery.report")}>
      <div className={css["report"]}>
        <p>
          <Trans
            i18nKey={`recovery.started.${report.previousExit}`}
            components={{ at: <Time atMs={report.startedAtMs} /> }}
          />{" "}
          {report.breaker.tripped && t("recovery.breakerTripped", { count: report.breaker.chain })}
        </p>
        <p className={css["meta"]}>
          <Id value={report.bootId} label={t("recovery.boot")} /> · {report.version} · {report.host}
        </p>
        <div>
          <h3 className={css["small"]}>
            {t("recovery.phases")}{" "}
            <span className={css["meta"]}>{t("recovery.ms", { ms: Math.round(totalMs) })}</span>
          </h3>
          <div className={css["phases"]} aria-hidden>
            {report.phases.map((phase) => (
              <span
                key={phase.name}
                className={css["phase"]}
                style={cssVars({ "--share": Math.max(phase.ms, totalMs / 40) })}
              />
            ))}
          </div>
          <ul className={css["phaseNames"]}>
            {report.phases.map((phase) => (
              <li key={phase.name}>
                {t(`recovery.phase.${phase.name as "open"}`)} {t("recovery.ms", { ms: phase.ms })}
              </li>
            ))}
          </ul>
        </div>
        <ul className={css["counts"]}>
          {bootLists.map((list) => {
            const { count } = report.lists[list];
            return (
              <li key={list}>
                <button
                  type="button"
                  className={css["count"]}
                  aria-expanded={open === list}
                  disabled={count === 0}
                  onClick={() => {
                    setOpen(open === list ? null : list);
                  }}
                >
                  <span className={css["number"]}>
                    <Count value={count} />
                  </span>
                  <span>{t(`recovery.list.${list}`)}</span>
                </button>
              </li>
            );
          })}
        </ul>
        {open !== null && <ReportItems list={open} items={report.lists[open]} />}
      </div>
    </Panel>
  );
}

import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { AgentRow } from "../../../core/contract/domain.ts";
import { Facts } from "../../components/facts.tsx";
import { Id } from "../../components/id.tsx";
import { Panel } from "../../components/panel.tsx";
import { StateChip } from "../../components/state-chip.tsx";
import { Time } from "../../components/time.tsx";
import css from "./agents.module.css";

const MODELS_SHOWN = 40;

/** All that is known of one agent, with its last probe in full. */
export function AgentDetail({ row, actions }: { row: AgentRow; actions: ReactNode }) {
  const { t } = useTranslation();
  const { probe } = row;
  const failed = probe.state === "failed";
  const hint =
    row.origin === "built-in"
      ? t("agents.detail.builtInHint")
      : row.origin === "found"
        ? t("agents.detail.foundHint")
        : undefined;
  return (
    <Panel title={row.id} actions={actions}>
      <Facts
        rows={[
          {
            label: t("agents.column.runtime"),
            value: row.runtime,
            ...(hint === undefined ? {} : { hint }),
          },
          ...(row.baseUrl === null
            ? []
            : [
                {
                  label: t("agents.column.baseUrl"),
                  value: <Id value={row.baseUrl} label={t("agents.detail.address")} head={80} />,
                },
                {
                  label: t("agents.column.key"),
                  value: t(row.hasKey ? "agents.key.set" : "agents.key.none"),
                  ...(row.hasKey ? { hint: t("agents.detail.keyHint") } : {}),
                },
                {
                  label: t("agents.column.model"),
                  value: row.model ?? t("agents.detail.modelFirst"),
                },
              ]),
          {
            label: t("agents.detail.probe"),
            value: (
              <span className={css["inRow"]}>
                <StateChip state={probe.state} bare />
                {probe.ms !== null && t("agents.ms", { value: Math.round(probe.ms) })}
                {probe.atMs !== null && <Time atMs={probe.atMs} />}
              </span>
            ),
          },
          ...(failed
            ? [
                {
                  label: t("agents.detail.error"),
                  value: (
                    <span className={css["inRow"]}>
                      <span>{probe.message}</span>
                      {probe.code !== null && (
                        <Id value={probe.code} label={t("failure.code")} head={40} />
                      )}
                    </span>
                  ),
                },
              ]
            : []),
          ...(row.runtime === "practice"
            ? []
            : [
                {
                  label: t("agents.detail.models"),
                  value:
                    probe.models.length === 0
                      ? t("agents.detail.noModels")
                      : probe.models.slice(0, MODELS_SHOWN).join(", "),
                },
              ]),
        ]}
      />
    </Panel>
  );
}

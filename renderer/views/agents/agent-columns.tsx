import type { TFunction } from "i18next";
import type { AgentRow } from "../../../core/contract/domain.ts";
import { Count } from "../../components/numbers.tsx";
import { StateChip } from "../../components/state-chip.tsx";
import type { Column } from "../../components/table-columns.ts";
import { Time } from "../../components/time.tsx";
import { Unknown } from "../../components/unknown.tsx";
import type { agents } from "../../locales/en/agents.ts";
import css from "./agents.module.css";

/** The columns of the agents table. `isProbing` tells whose probe is under way. */
export function agentColumns(t: TFunction, isProbing: (id: string) => boolean): Column<AgentRow>[] {
  const column = (id: keyof typeof agents.column) => ({ id, header: t(`agents.column.${id}`) });
  return [
    {
      ...column("probe"),
      width: "14ch",
      cell: (row) =>
        isProbing(row.id) ? (
          <StateChip state="starting" bare word={t("agents.probing")} />
        ) : (
          <StateChip state={row.probe.state} bare />
        ),
    },
    {
      ...column("agent"),
      width: "minmax(16ch, 1fr)",
      cell: (row) => (
        <span>
          {row.id}
          {row.isDefault && <span className={css["tag"]}>{t("agents.isDefault")}</span>}
        </span>
      ),
    },
    {
      ...column("runtime"),
      width: "minmax(12ch, 0.9fr)",
      from: 156,
      cell: (row) => <span>{row.runtime}</span>,
    },
    {
      ...column("origin"),
      from: 84,
      width: "11ch",
      cell: (row) => <span>{t(`agents.origin.${row.origin}`)}</span>,
    },
    {
      ...column("baseUrl"),
      width: "minmax(16ch, 1.6fr)",
      from: 118,
      cell: (row) =>
        row.baseUrl === null ? (
          <Unknown />
        ) : (
          <span className={css["mono"]} title={row.baseUrl}>
            {row.baseUrl}
          </span>
        ),
    },
    {
      ...column("model"),
      from: 56,
      width: "minmax(12ch, 1fr)",
      cell: (row) =>
        row.model === null ? (
          <Unknown />
        ) : (
          <span className={css["mono"]} title={row.model}>
            {row.model}
          </span>
        ),
    },
    {
      ...column("key"),
      width: "6ch",
      from: 142,
      cell: (row) => <span>{t(row.hasKey ? "agents.key.set" : "agents.key.none")}</span>,
    },
    {
      ...column("took"),
      from: 76,
      width: "9ch",
      align: "end",
      cell: (row) =>
        row.probe.ms === null ? (
          <Unknown />
        ) : (
          <span>{t("agents.ms", { value: Math.round(row.probe.ms) })}</span>
        ),
    },
    {
      ...column("checked"),
      width: "11ch",
      align: "end",
      from: 132,
      cell: (row) => <Time atMs={row.probe.atMs} focusable={false} />,
    },
    {
      ...column("running"),
      from: 62,
      width: "8ch",
      align: "end",
      cell: (row) => <Count value={row.running} />,
    },
    {
      ...column("failures"),
      from: 70,
      width: "10ch",
      align: "end",
      cell: (row) =>
        row.failuresLastHour === 0 ? (
          <Count value={0} />
        ) : (
          <span className={css["failures"]}>
            <Count value={row.failuresLastHour} />
          </span>
        ),
    },
  ];
}

import type { TFunction } from "i18next";
import type { DeliveryRow } from "../../../core/contract/calls-recovery.ts";
import { Count } from "../../components/numbers.tsx";
import { StateChip } from "../../components/state-chip.tsx";
import type { Column } from "../../components/table-columns.ts";
import { Time } from "../../components/time.tsx";
import { Unknown } from "../../components/unknown.tsx";

/** The columns of the delivery ledger. */
export function ledgerColumns(t: TFunction): Column<DeliveryRow>[] {
  return [
    {
      id: "state",
      header: t("recovery.column.state"),
      width: "18ch",
      cell: (row) => <StateChip bare state={row.state} />,
    },
    {
      id: "session",
      header: t("recovery.column.session"),
      width: "minmax(14ch, 0.8fr)",
      cell: (row) => <span title={row.key}>{row.title === "" ? row.key : row.title}</span>,
    },
    {
      id: "channel",
      header: t("recovery.column.channel"),
      width: "minmax(12ch, 0.5fr)",
      from: 100,
      cell: (row) => <span title={row.chatId}>{row.channelId}</span>,
    },
    {
      id: "text",
      header: t("recovery.column.text"),
      width: "minmax(20ch, 2fr)",
      cell: (row) => <span title={row.preview}>{row.preview}</span>,
    },
    {
      id: "attempts",
      header: t("recovery.column.attempts"),
      width: "9ch",
      align: "end",
      cell: (row) => <Count value={row.attempts} />,
    },
    {
      id: "parts",
      header: t("recovery.column.parts"),
      width: "8ch",
      align: "end",
      from: 120,
      cell: (row) =>
        row.partsTotal === null ? (
          <Unknown />
        ) : (
          t("recovery.parts", { done: row.partsDone, total: row.partsTotal })
        ),
    },
    {
      id: "next",
      header: t("recovery.column.next"),
      width: "10ch",
      align: "end",
      from: 110,
      cell: (row) => <Time atMs={row.nextAttemptAtMs} focusable={false} />,
    },
    {
      id: "error",
      header: t("recovery.column.error"),
      width: "minmax(14ch, 1fr)",
      from: 130,
      cell: (row) =>
        row.lastError === null ? <Unknown /> : <span title={row.lastError}>{row.lastError}</span>,
    },
    {
      id: "since",
      header: t("recovery.column.since"),
      width: "10ch",
      align: "end",
      cell: (row) => <Time atMs={row.createdAtMs} focusable={false} />,
    },
  ];
}

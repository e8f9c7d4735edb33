import type { TFunction } from "i18next";
import type { QueueItem, QueueLane } from "../../../core/contract/calls-recovery.ts";
import { Id } from "../../components/id.tsx";
import { Count } from "../../components/numbers.tsx";
import { StateChip } from "../../components/state-chip.tsx";
import type { Column } from "../../components/table-columns.ts";
import { Time } from "../../components/time.tsx";
import { Composition } from "./composition.tsx";

/** The columns of the lanes table. */
export function laneColumns(t: TFunction): Column<QueueLane>[] {
  return [
    {
      id: "state",
      header: t("queues.column.state"),
      width: "12ch",
      cell: (lane) => (
        <StateChip bare state={lane.runningSinceMs === null ? "queued" : "running"} />
      ),
    },
    {
      id: "title",
      header: t("queues.column.session"),
      width: "minmax(16ch, 1fr)",
      cell: (lane) => <span title={lane.title}>{lane.title}</span>,
    },
    {
      id: "key",
      header: t("queues.column.key"),
      width: "minmax(20ch, 1.2fr)",
      from: 110,
      cell: (lane) => <Id value={lane.key} label={t("queues.column.key")} head={24} copy={false} />,
    },
    {
      id: "running",
      header: t("queues.column.running"),
      width: "9ch",
      align: "end",
      cell: (lane) => <Time atMs={lane.runningSinceMs} form="since" focusable={false} />,
    },
    {
      id: "slot",
      header: t("queues.column.slot"),
      width: "7ch",
      align: "end",
      cell: (lane) => <Count value={lane.slot ? 1 : 0} />,
    },
    {
      id: "fifo",
      header: t("queues.column.fifo"),
      width: "8ch",
      align: "end",
      cell: (lane) => t("queues.ofCap", { count: lane.fifo }),
    },
    {
      id: "oldest",
      header: t("queues.column.oldest"),
      width: "11ch",
      align: "end",
      cell: (lane) => <Time atMs={lane.oldestAtMs} form="since" focusable={false} />,
    },
    {
      id: "done",
      header: t("queues.column.done"),
      width: "10ch",
      align: "end",
      from: 90,
      cell: (lane) => <Count value={lane.donePerMinute} />,
    },
    {
      id: "composition",
      header: t("queues.column.composition"),
      width: "minmax(14ch, 0.6fr)",
      from: 120,
      cell: (lane) => <Composition parts={lane.composition} />,
    },
  ];
}

/** The columns of the table of waiting messages. */
export function itemColumns(t: TFunction): Column<QueueItem>[] {
  return [
    {
      id: "waiting",
      header: t("queues.column.waits"),
      width: "9ch",
      align: "end",
      cell: (item) => <Time atMs={item.acceptedAtMs} form="since" focusable={false} />,
    },
    {
      id: "session",
      header: t("queues.column.session"),
      width: "minmax(14ch, 0.8fr)",
      cell: (item) => <span title={item.key}>{item.title}</span>,
    },
    {
      id: "from",
      header: t("queues.column.from"),
      width: "minmax(10ch, 0.5fr)",
      from: 90,
      cell: (item) => <span title={item.from}>{item.from}</span>,
    },
    {
      id: "preview",
      header: t("queues.column.message"),
      width: "minmax(20ch, 2fr)",
      cell: (item) => <span title={item.preview}>{item.preview}</span>,
    },
    {
      id: "kind",
      header: t("queues.column.kind"),
      width: "12ch",
      from: 110,
      cell: (item) => t(`queues.kind.${item.kind}`),
    },
    {
      id: "reason",
      header: t("queues.column.reason"),
      width: "minmax(16ch, 0.8fr)",
      cell: (item) => <span title={item.reason}>{item.reason}</span>,
    },
  ];
}

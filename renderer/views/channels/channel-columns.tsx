import type { TFunction } from "i18next";
import type { ChannelRow } from "../../../core/contract/domain.ts";
import { Id } from "../../components/id.tsx";
import { Link } from "../../components/link.tsx";
import { Count } from "../../components/numbers.tsx";
import { StateChip } from "../../components/state-chip.tsx";
import type { Column } from "../../components/table-columns.ts";
import { Time } from "../../components/time.tsx";
import type { channels } from "../../locales/en/channels.ts";
import { Unknown } from "../../components/unknown.tsx";

/** The sessions of a channel, as a filter of the Sessions screen. */
export const sessionsOf = (channelId: string): string => `/sessions?filter=channel:${channelId}`;

/** The columns of the channels table, widest first to go where there is no room. */
export function channelColumns(t: TFunction): Column<ChannelRow>[] {
  const column = (id: keyof typeof channels.column) => ({
    id,
    header: t(`channels.column.${id}`),
  });
  return [
    {
      ...column("state"),
      width: "14ch",
      cell: (row) => <StateChip state={row.state} bare />,
    },
    {
      ...column("channel"),
      width: "minmax(16ch, 1fr)",
      cell: (row) => <span title={row.id}>{row.id}</span>,
    },
    {
      ...column("account"),
      width: "minmax(10ch, 0.7fr)",
      from: 140,
      cell: (row) => (row.account === null ? <Unknown /> : <span>{row.account}</span>),
    },
    {
      ...column("since"),
      from: 58,
      width: "8ch",
      align: "end",
      cell: (row) => (
        <Time atMs={row.state === "stopped" ? null : row.sinceMs} form="since" focusable={false} />
      ),
    },
    {
      ...column("in"),
      from: 72,
      width: "7ch",
      align: "end",
      cell: (row) => <Count value={row.messagesIn} />,
    },
    {
      ...column("out"),
      from: 72,
      width: "7ch",
      align: "end",
      cell: (row) => <Count value={row.messagesOut} />,
    },
    {
      ...column("error"),
      width: "minmax(16ch, 2fr)",
      from: 100,
      cell: (row) =>
        row.lastError === null ? (
          <span>{t("channels.detail.noError")}</span>
        ) : (
          <span title={row.lastError.message}>{row.lastError.message}</span>
        ),
    },
    {
      ...column("sessions"),
      from: 48,
      width: "9ch",
      align: "end",
      cell: (row) =>
        row.sessions === 0 ? (
          <Count value={0} />
        ) : (
          <Link href={sessionsOf(row.id)} quiet>
            <Count value={row.sessions} />
          </Link>
        ),
    },
    {
      ...column("address"),
      width: "minmax(18ch, 1fr)",
      from: 128,
      cell: (row) =>
        row.address === null ? (
          <Unknown />
        ) : (
          <Id value={row.address} label={t("channels.address")} head={20} />
        ),
    },
  ];
}

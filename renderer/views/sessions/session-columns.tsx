import type { TFunction } from "i18next";
import { useStore } from "zustand";
import type { SessionRow } from "../../../core/contract/domain.ts";
import { Id } from "../../components/id.tsx";
import { Count } from "../../components/numbers.tsx";
import { StateChip } from "../../components/state-chip.tsx";
import type { Column } from "../../components/table-columns.ts";
import { Duration, Time } from "../../components/time.tsx";
import { sessionName } from "../../i18n/session-name.ts";
import { useWords } from "../../i18n/use-words.ts";
import { usePanel } from "../../stores/panel.tsx";
import css from "./session-columns.module.css";

/** The columns of ux.md 3 for which there is data; the narrower the table, the fewer. */
export function sessionColumns(t: TFunction): Column<SessionRow>[] {
  const header = (id: keyof typeof headers) => t(headers[id]);
  return [
    {
      id: "state",
      header: header("state"),
      width: "17ch",
      sort: "state",
      cell: (row) => <StateCell row={row} />,
    },
    {
      id: "title",
      header: header("title"),
      width: "minmax(18ch, 3fr)",
      sort: "title",
      cell: (row) => <TitleCell row={row} />,
    },
    {
      id: "key",
      header: header("key"),
      width: "minmax(16ch, 2fr)",
      sort: "key",
      from: 138,
      cell: ({ key }) => <Id value={key} label={t("session.key")} copy={false} fluid />,
    },
    {
      id: "since",
      header: header("since"),
      width: "7ch",
      align: "end",
      from: 76,
      cell: (row) => <SinceCell row={row} />,
    },
    {
      id: "queue",
      header: header("queue"),
      width: "8ch",
      align: "end",
      sort: "queue",
      from: 86,
      cell: ({ queueDepth }) => <QueueCell depth={queueDepth} />,
    },
    {
      id: "messages",
      header: header("messages"),
      width: "9ch",
      align: "end",
      from: 152,
      cell: ({ messageCount }) => <Count value={messageCount} />,
    },
    {
      id: "agent",
      header: header("agent"),
      width: "minmax(9ch, 14ch)",
      from: 108,
      cell: ({ agentId }) => <AgentCell id={agentId} />,
    },
    {
      id: "tokens",
      header: header("tokens"),
      width: "9ch",
      align: "end",
      sort: "tokens",
      from: 97,
      cell: ({ totalTokens }) => <Count value={totalTokens} short />,
    },
    {
      id: "updated",
      header: header("updated"),
      width: "13ch",
      align: "end",
      sort: "updated",
      cell: ({ updatedAtMs }) => <Time atMs={updatedAtMs} focusable={false} />,
    },
  ];
}

const headers = {
  state: "sessions.column.state",
  title: "sessions.column.title",
  key: "sessions.column.key",
  since: "sessions.column.since",
  queue: "sessions.column.queue",
  messages: "sessions.column.messages",
  agent: "sessions.column.agent",
  tokens: "sessions.column.tokens",
  updated: "sessions.column.updated",
} as const;

function StateCell({ row }: { row: SessionRow }) {
  const { t } = useWords();
  const { acts } = usePanel();
  const act = useStore(acts.store, (state) => state.pending.get(row.key));
  return (
    <span className={css["state"]} title={row.error?.message}>
      <StateChip
        state={row.state}
        bare
        {...(act === undefined ? {} : { word: t(`act.busy.${act}`) })}
      />
    </span>
  );
}

function TitleCell({ row }: { row: SessionRow }) {
  const { t } = useWords();
  return (
    <span className={css["title"]}>
      <span className={css["name"]} data-untitled={row.title.trim() === "" || undefined}>
        {sessionName(row, t)}
      </span>
      <span className={css["channel"]}>{row.platform ?? row.channelId}</span>
    </span>
  );
}

/** How long the state has held; of a running turn, how long it runs. */
function SinceCell({ row }: { row: SessionRow }) {
  if (row.state === "running") return <Duration fromMs={row.turnStartedAtMs ?? row.stateSinceMs} />;
  return <Time atMs={row.stateSinceMs} form="since" focusable={false} />;
}

function QueueCell({ depth }: { depth: number }) {
  return <span className={depth === 0 ? css["none"] : undefined}>{depth}</span>;
}

function AgentCell({ id }: { id: string | null }) {
  const { t } = useWords();
  return id ?? <span className={css["none"]}>{t("sessions.defaultAgent")}</span>;
}

import type { TFunction } from "i18next";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import type { CallOutput } from "../../../core/contract/calls.ts";
import type { SessionKey } from "../../../core/contract/ids.ts";
import { ArrayTable } from "../../components/array-table.tsx";
import { Banner } from "../../components/banner.tsx";
import { Button } from "../../components/button.tsx";
import { Empty } from "../../components/empty.tsx";
import { Failure } from "../../components/failure.tsx";
import { ShortTable } from "../../components/short-table.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { StateChip } from "../../components/state-chip.tsx";
import type { Column } from "../../components/table-columns.ts";
import { go, sessionPath } from "../../shell/location.ts";
import { usePanel } from "../../stores/panel.tsx";
import type { RecoveryStores } from "./recovery-stores.ts";
import css from "./recovery.module.css";

type Loop = CallOutput<"recovery.loops">["loops"][number];

/** Sessions interrupted again and again, and those that the crash-loop breaker holds back. */
export function Loops({
  loops,
  run,
}: {
  loops: RecoveryStores["loops"];
  run: (keys: SessionKey[] | null) => Promise<void>;
}) {
  const { t } = useTranslation();
  const { bridge, toasts } = usePanel();
  const { value, error } = useStore(loops.store);
  const threshold = value?.threshold ?? 0;
  const columns = useMemo(() => loopColumns(t, threshold), [t, threshold]);
  if (value === null)
    return error === null ? (
      <Skeleton width={60} lines={4} />
    ) : (
      <Failure error={error} onRetry={() => void loops.actions.pull()} />
    );

  async function act(call: "recovery.resetCount" | "recovery.hold", key: SessionKey) {
    const reply = await bridge.call(call, { key });
    if (!reply.ok)
      toasts.actions.raise({
        title: t("recovery.failed"),
        body: reply.error.message,
        tone: "failed",
      });
    await loops.actions.pull();
  }
  async function release(keys: SessionKey[] | null) {
    const reply = await bridge.call("recovery.release", keys === null ? {} : { keys });
    if (!reply.ok)
      toasts.actions.raise({
        title: t("recovery.failed"),
        body: reply.error.message,
        tone: "failed",
      });
    await loops.actions.pull();
  }

  return (
    <div className={css["ledger"]}>
      {value.breakerTripped && (
        <Banner
          tone="caution"
          title={t("recovery.breaker")}
          actions={<Button onClick={() => void release(null)}>{t("recovery.releaseAll")}</Button>}
        />
      )}
      <ShortTable rows={value.loops.length}>
        <ArrayTable
          label={t("recovery.tab.loops")}
          columns={columns}
          rows={value.loops}
          keyOf={(loop) => loop.key}
          rowLabel={(loop) => loop.title}
          onOpen={(loop) => {
            go(sessionPath(loop.key));
          }}
          menuFor={(loop) => [
            { label: t("recovery.runFor"), onSelect: () => void run([loop.key]) },
            {
              label: t("recovery.resetCount"),
              why: loop.restarts === 0 ? t("recovery.noCount") : null,
              onSelect: () => void act("recovery.resetCount", loop.key),
            },
            loop.held
              ? { label: t("recovery.release"), onSelect: () => void release([loop.key]) }
              : { label: t("recovery.hold"), onSelect: () => void act("recovery.hold", loop.key) },
          ]}
          empty={<Empty title={t("recovery.noLoops")} />}
        />
      </ShortTable>
    </div>
  );
}

/** The columns of the table of loops. */
function loopColumns(t: TFunction, threshold: number): Column<Loop>[] {
  return [
    {
      id: "state",
      header: t("recovery.column.state"),
      width: "14ch",
      cell: (loop) => (
        <StateChip
          bare
          state={loop.suspended ? "stuck" : loop.held ? "suspended" : "resume_pending"}
        />
      ),
    },
    {
      id: "session",
      header: t("recovery.column.session"),
      width: "minmax(16ch, 1fr)",
      cell: (loop) => <span title={loop.key}>{loop.title === "" ? loop.key : loop.title}</span>,
    },
    {
      id: "restarts",
      header: t("recovery.column.restarts"),
      width: "24ch",
      cell: (loop) => t("recovery.restartsOf", { count: loop.restarts, threshold }),
    },
    {
      id: "held",
      header: t("recovery.column.held"),
      width: "16ch",
      cell: (loop) => t(loop.held ? "recovery.heldYes" : "recovery.heldNo"),
    },
  ];
}

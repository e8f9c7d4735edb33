import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import { ArrayTable } from "../../components/array-table.tsx";
import { Empty } from "../../components/empty.tsx";
import { Failure } from "../../components/failure.tsx";
import { Segments } from "../../components/segments.tsx";
import { ShortTable } from "../../components/short-table.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { go, sessionPath } from "../../shell/location.ts";
import { ledgerColumns } from "./ledger-columns.tsx";
import type { RecoveryStores } from "./recovery-stores.ts";
import { useDeliveryActs } from "./use-delivery-acts.ts";
import css from "./recovery.module.css";

const SEGMENTS = ["all", "unknown", "owed", "delivered", "abandoned"] as const;
type Segment = (typeof SEGMENTS)[number];
const shows: Record<Segment, (state: string) => boolean> = {
  all: () => true,
  unknown: (state) => state === "unknown",
  owed: (state) => state === "pending" || state === "attempting" || state === "failed",
  delivered: (state) => state === "delivered",
  abandoned: (state) => state === "abandoned",
};

/** The delivery ledger: what is owed, what arrived, what may have arrived and waits for a decision. */
export function Ledger({ ledger }: { ledger: RecoveryStores["ledger"] }) {
  const { t } = useTranslation();
  const { value, error } = useStore(ledger.store);
  const [segment, setSegment] = useState<Segment>("all");
  const columns = useMemo(() => ledgerColumns(t), [t]);
  const acts = useDeliveryActs(ledger.actions.pull);
  const rows = useMemo(
    () => (value?.deliveries ?? []).filter((row) => shows[segment](row.state)),
    [value, segment],
  );
  if (value === null)
    return error === null ? (
      <Skeleton width={60} lines={6} />
    ) : (
      <Failure error={error} onRetry={() => void ledger.actions.pull()} />
    );
  const counted = (one: Segment): number =>
    Object.entries(value.counts).reduce(
      (sum, [state, count]) => sum + (shows[one](state) ? count : 0),
      0,
    );
  return (
    <div className={css["ledger"]}>
      <Segments<Segment>
        label={t("recovery.segment.label")}
        options={SEGMENTS.map((id) => ({
          id,
          label: t(`recovery.segment.${id}`),
          count: counted(id),
        }))}
        value={segment}
        onChange={setSegment}
      />
      <ShortTable rows={rows.length}>
        <ArrayTable
          label={t("recovery.tab.deliveries")}
          columns={columns}
          rows={rows}
          keyOf={(row) => row.id}
          rowLabel={(row) => row.preview}
          onOpen={(row) => {
            go(sessionPath(row.key));
          }}
          menuFor={acts.menuFor}
          empty={<Empty title={t("recovery.noDeliveries")} />}
        />
      </ShortTable>
    </div>
  );
}

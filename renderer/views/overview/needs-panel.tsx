import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import type { Notice } from "../../../core/contract/domain.ts";
import { Empty } from "../../components/empty.tsx";
import { Failure } from "../../components/failure.tsx";
import { Link } from "../../components/link.tsx";
import { Panel } from "../../components/panel.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { Time } from "../../components/time.tsx";
import { usePanel } from "../../stores/panel.tsx";
import { NeedRow } from "./need-row.tsx";
import { needsOf } from "./needs.ts";
import css from "./overview.module.css";
import type { OverviewStore } from "./overview-store.ts";

const SHOWN = 12;
const tellingKinds: readonly Notice["kind"][] = ["needs_you", "failed", "channel_down"];

/** Everything that waits for the operator, oldest first, each with the one best thing to do. */
export function NeedsPanel({ overview }: { overview: OverviewStore }) {
  const { t } = useTranslation();
  const { gateway } = usePanel();
  const status = useStore(gateway.store, (state) => state.status);
  const sessions = useStore(overview.sessions);
  const deliveries = useStore(overview.deliveries);
  const channels = useStore(overview.channels);
  const error = sessions.error ?? deliveries.error ?? channels.error;
  const all =
    status === null || sessions.value === null || channels.value === null
      ? null
      : needsOf({
          sessions: sessions.value.rows,
          channels: channels.value,
          deliveries: deliveries.value ?? [],
          status,
        });
  const needs = all ?? [];
  const shown = needs.slice(0, SHOWN);
  const unlisted = (sessions.value?.total ?? 0) - (sessions.value?.rows.length ?? 0);
  const beyond = needs.length - shown.length + unlisted;

  return (
    <Panel title={t("overview.needs.title")} flush>
      {error !== null && (
        <Failure error={error} onRetry={() => void overview.actions.pull()} compact />
      )}
      {all === null && error === null && (
        <div className={css["pending"]}>
          <Skeleton width={48} lines={2} />
        </div>
      )}
      {all?.length === 0 && <NothingNeedsYou />}
      {shown.length > 0 && (
        <ul className={css["needs"]}>
          {shown.map((need) => (
            <NeedRow key={need.id} need={need} />
          ))}
        </ul>
      )}
      {beyond > 0 && (
        <p className={css["beyond"]}>
          <Link href="/sessions?segment=needs-me">
            {t("overview.needs.more", { count: beyond })}
          </Link>
        </p>
      )}
    </Panel>
  );
}

function NothingNeedsYou() {
  const { t } = useTranslation();
  const { notices } = usePanel();
  const last = useStore(notices.store, (state) =>
    state.notices.find(({ kind }) => tellingKinds.includes(kind)),
  );
  return (
    <Empty title={t("overview.needs.empty")}>
      {last !== undefined && (
        <>
          {t("overview.needs.lastOne", { what: last.title })} <Time atMs={last.atMs} />
        </>
      )}
    </Empty>
  );
}

import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { ChannelRow } from "../../../core/contract/domain.ts";
import { Facts } from "../../components/facts.tsx";
import { Id } from "../../components/id.tsx";
import { Link } from "../../components/link.tsx";
import { Panel } from "../../components/panel.tsx";
import { StateChip } from "../../components/state-chip.tsx";
import { Time } from "../../components/time.tsx";
import { gatewayAddress } from "./hook-command.ts";
import type { StoredHook } from "./hook-form.ts";
import { sessionsOf } from "./channel-columns.tsx";
import css from "./channels.module.css";

export interface ChannelDetailProps {
  row: ChannelRow;
  /** Its settings, where it is a webhook. */
  hook: StoredHook | null;
  actions: ReactNode;
}

/** All that is known of one channel, with its last error in full. */
export function ChannelDetail({ row, hook, actions }: ChannelDetailProps) {
  const { t } = useTranslation();
  const { lastError, address } = row;
  const whole = address === null ? null : gatewayAddress(address, window.location.origin);
  return (
    <Panel title={row.id} actions={actions}>
      <Facts
        rows={[
          {
            label: t("channels.column.state"),
            value: (
              <span className={css["inRow"]}>
                <StateChip state={row.state} bare />
                {row.state !== "stopped" && <Time atMs={row.sinceMs} form="since" />}
              </span>
            ),
          },
          {
            label: t("channels.detail.lastError"),
            value:
              lastError === null ? (
                t("channels.detail.noError")
              ) : (
                <span className={css["inRow"]}>
                  <span>{lastError.message}</span>
                  <Id value={lastError.code} label={t("failure.code")} head={40} />
                  <Time atMs={lastError.atMs} />
                </span>
              ),
          },
          ...(address === null
            ? []
            : [
                {
                  label: t("channels.column.address"),
                  value: <Id value={whole ?? address} label={t("channels.address")} head={80} />,
                  ...(whole === null ? { hint: t("channels.noPort") } : {}),
                },
              ]),
          ...(hook === null ? [] : hookFacts(hook)),
          {
            label: t("channels.column.sessions"),
            value:
              row.sessions === 0 ? (
                t("channels.remove.none")
              ) : (
                <Link href={sessionsOf(row.id)}>{row.sessions}</Link>
              ),
          },
        ]}
      />
    </Panel>
  );

  function hookFacts(stored: StoredHook) {
    return [
      {
        label: t("channels.detail.replies"),
        value: stored.out?.url ?? t("channels.detail.repliesTranscript"),
      },
      {
        label: t("channels.detail.secret"),
        value: stored.secret.hasKey
          ? t("channels.detail.secretSet")
          : t("channels.detail.secretMissing"),
      },
      {
        label: t("channels.detail.agent"),
        value: stored.agent ?? t("channels.detail.agentDefault"),
      },
    ];
  }
}

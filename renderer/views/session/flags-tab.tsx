import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { SessionDetail } from "../../../core/contract/domain.ts";
import { Facts, type FactRow } from "../../components/facts.tsx";
import { Count } from "../../components/numbers.tsx";
import { Time } from "../../components/time.tsx";
import { Unknown } from "../../components/unknown.tsx";
import css from "./flags-tab.module.css";

/** The stored flags that hold, with their evidence; then where the lane comes from and what it counts. */
export function FlagsTab({ detail }: { detail: SessionDetail }) {
  const { t } = useTranslation();
  const origin = Object.entries(detail.origin ?? {})
    .filter(([, value]) => value !== null && value !== "")
    .map(([label, value]): FactRow => ({ label, value: plain(value) }));
  return (
    <div className={css["flags"]}>
      <Part title={t("session.flags.label")}>
        {detail.flags.length === 0 && <p className={css["none"]}>{t("session.flags.empty")}</p>}
        {detail.flags.map((flag) => (
          <section key={flag.name} className={css["flag"]} aria-label={flag.name}>
            <h4 className={css["name"]}>
              <code>{flag.name}</code> {flag.value}
            </h4>
            <Facts
              rows={[
                { label: t("session.flags.since"), value: <Time atMs={flag.sinceMs} /> },
                { label: t("session.flags.by"), value: flag.by ?? <Unknown /> },
                { label: t("session.flags.cleared"), value: flag.clearedBy },
              ]}
            />
          </section>
        ))}
      </Part>
      <Part title={t("session.flags.counters")}>
        <Facts
          rows={[
            { label: t("session.flags.messages"), value: <Count value={detail.messageCount} /> },
            { label: t("session.flags.turns"), value: <Count value={detail.turnCount} /> },
            { label: t("session.flags.tokensIn"), value: <Count value={detail.inputTokens} /> },
            { label: t("session.flags.tokensOut"), value: <Count value={detail.outputTokens} /> },
            { label: t("session.flags.created"), value: <Time atMs={detail.createdAtMs} /> },
            { label: t("session.flags.updated"), value: <Time atMs={detail.updatedAtMs} /> },
          ]}
        />
      </Part>
      {origin.length > 0 && (
        <Part title={t("session.flags.origin")}>
          <Facts rows={origin} />
        </Part>
      )}
    </div>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className={css["part"]} aria-label={title}>
      <h3 className={css["heading"]}>{title}</h3>
      {children}
    </section>
  );
}

const plain = (value: unknown): string =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? String(value)
    : JSON.stringify(value);

import { useTranslation } from "react-i18next";
import type { ProbeResult } from "../../../core/contract/domain.ts";
import { Id } from "../../components/id.tsx";
import { StateChip } from "../../components/state-chip.tsx";
import css from "./agents.module.css";

/** How a test of a server went. */
export function TestVerdict({ result }: { result: ProbeResult }) {
  const { t } = useTranslation();
  return (
    <output className={css["verdict"]}>
      <StateChip state={result.state} />
      {result.state === "failed" ? (
        <>
          <span>{result.message}</span>
          {result.code !== null && <Id value={result.code} label={t("failure.code")} head={40} />}
        </>
      ) : (
        <span>
          {result.ms === null
            ? t("agents.server.answeredUntimed")
            : t("agents.server.answered", { ms: Math.round(result.ms) })}
        </span>
      )}
    </output>
  );
}

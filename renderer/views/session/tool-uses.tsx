import ChevronRight from "lucide-react/icons/chevron-right";
import { useTranslation } from "react-i18next";
import type { ToolUse } from "../../../core/contract/domain.ts";
import { Bytes } from "../../components/numbers.tsx";
import { StateChip } from "../../components/state-chip.tsx";
import type { StateName } from "../../components/state-names.ts";
import css from "./tool-uses.module.css";

const states: Record<ToolUse["outcome"], StateName> = {
  ok: "ok",
  failed: "failed",
  unknown: "unknown",
};

/** What a reply did on the way, folded to counts with outcomes. */
export function ToolUses({ tools }: { tools: readonly ToolUse[] }) {
  const { t } = useTranslation();
  const failed = tools.filter((tool) => tool.outcome === "failed").length;
  const unknown = tools.filter((tool) => tool.outcome === "unknown").length;
  return (
    <details className={css["uses"]}>
      <summary className={css["summary"]}>
        <ChevronRight aria-hidden />
        {t("session.transcript.tools", { count: tools.length })}
        {failed > 0 && (
          <StateChip
            state="failed"
            bare
            word={t("session.transcript.toolFailed", { count: failed })}
          />
        )}
        {unknown > 0 && (
          <StateChip
            state="unknown"
            bare
            word={t("session.transcript.toolUnknown", { count: unknown })}
          />
        )}
      </summary>
      <ul className={css["list"]}>
        {tools.map((tool) => (
          <li key={tool.id} className={css["use"]}>
            <span className={css["line"]}>
              <code>{tool.name}</code>
              <StateChip
                state={states[tool.outcome]}
                bare
                word={t(`session.transcript.toolOutcome.${tool.outcome}`)}
              />
              <span className={css["size"]}>
                <Bytes value={tool.outputBytes} />
              </span>
            </span>
            {tool.output !== "" && (
              <pre
                className={css["output"]}
                // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, so keys must reach it
                tabIndex={0}
                aria-label={t("session.transcript.toolOutput", { tool: tool.name })}
              >
                {tool.output}
              </pre>
            )}
          </li>
        ))}
      </ul>
    </details>
  );
}

import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import type { AgentRow } from "../../../core/contract/domain.ts";
import { Button } from "../../components/button.tsx";
import { StateChip } from "../../components/state-chip.tsx";
import { EVERY_AGENT } from "../../stores/agents.ts";
import { usePanel } from "../../stores/panel.tsx";
import { settingsStore } from "../../stores/settings.ts";
import { useKeptStore } from "../../stores/use-view-store.ts";
import { AgentDialog } from "../agents/agent-dialog.tsx";
import type { ChecklistStore } from "./checklist-store.ts";
import css from "./first-run.module.css";

/** Step three: who answers, as the last probe found it. */
export function AgentStep({ store, onDone }: { store: ChecklistStore; onDone: () => void }) {
  const { t } = useTranslation();
  const { bridge } = usePanel();
  const settings = useKeptStore("settings", () => settingsStore(bridge));
  const rows = useStore(store.agents.store, (state) => state.value) ?? [];
  const probing = useStore(store.agents.probing, (state) => state.ids.has(EVERY_AGENT));
  const [adding, setAdding] = useState(false);
  return (
    <>
      <p>{t("firstRun.agent.body")}</p>
      <ul className={css["agents"]} aria-label={t("firstRun.agent.label")}>
        {rows.map((row) => (
          <AgentLine key={row.id} row={row} />
        ))}
      </ul>
      <div className={css["acts"]}>
        <Button tone="primary" onClick={onDone}>
          {t("firstRun.agent.practice")}
        </Button>
        <Button
          onClick={() => {
            setAdding(true);
          }}
        >
          {t("firstRun.agent.add")}
        </Button>
        <Button busy={probing} onClick={() => void store.agents.actions.probe(null)}>
          {probing ? t("firstRun.agent.probing") : t("firstRun.agent.probe")}
        </Button>
      </div>
      {adding && (
        <AgentDialog
          row={null}
          agents={rows}
          settings={settings}
          onSaved={(id) => {
            void store.agents.actions.setDefault(id);
          }}
          onClose={() => {
            setAdding(false);
          }}
        />
      )}
    </>
  );
}

function AgentLine({ row }: { row: AgentRow }) {
  const { t } = useTranslation();
  const { probe } = row;
  const note =
    row.runtime === "practice"
      ? t("firstRun.agent.practiceNote")
      : probe.state === "failed"
        ? probe.message
        : probe.state === "unchecked"
          ? t("firstRun.agent.notChecked")
          : [row.model, probe.ms === null ? null : t("agents.ms", { value: Math.round(probe.ms) })]
              .filter((part) => part !== null)
              .join(" · ");
  return (
    <li className={css["agent"]}>
      <StateChip state={row.runtime === "practice" ? "ok" : probe.state} bare />
      <span>{row.id}</span>
      <span className={css["muted"]}>{note}</span>
      {row.isDefault && <span className={css["tag"]}>{t("firstRun.agent.isDefault")}</span>}
    </li>
  );
}

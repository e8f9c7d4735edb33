import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import { Button } from "../../components/button.tsx";
import { Panel } from "../../components/panel.tsx";
import { usePanel } from "../../stores/panel.tsx";
import { useKeptStore } from "../../stores/use-view-store.ts";
import { Checklist, useStepStates } from "./checklist-list.tsx";
import { checklistStore } from "./checklist-store.ts";
import { isShown, steps } from "./checklist.ts";
import css from "./first-run.module.css";

/** The first run's checklist on the Overview, until it is complete or put away. */
export function ChecklistPanel() {
  const { t } = useTranslation();
  const { bridge } = usePanel();
  const store = useKeptStore("checklist", () => checklistStore(bridge, window.localStorage));
  const states = useStepStates(store);
  const kept = useStore(store.kept);
  const answered = useStore(store.answered, (state) => state.value);
  const due = states !== null && answered !== null && isShown(kept, states, answered);
  // Once it is on screen it stays until it is put away: the last step is there to be watched.
  const [wasDue, setWasDue] = useState(false);
  if (due && !wasDue) setWasDue(true);
  if (states === null || kept.dismissed || !(due || wasDue)) return null;
  const done = steps.filter((step) => states[step] !== "open").length;
  return (
    <Panel
      title={t("firstRun.title")}
      flush
      actions={
        <>
          <span className={css["progress"]}>
            {t("firstRun.progress", { done, total: steps.length })}
          </span>
          <Button size="small" tone="quiet" onClick={store.actions.dismiss}>
            {t("firstRun.hide")}
          </Button>
        </>
      }
    >
      <Checklist store={store} states={states} />
    </Panel>
  );
}

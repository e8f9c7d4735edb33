import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import { Button } from "../../components/button.tsx";
import { Panel } from "../../components/panel.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { Link } from "../../components/link.tsx";
import { ViewFrame } from "../../shell/view-frame.tsx";
import { usePanel } from "../../stores/panel.tsx";
import { useKeptStore } from "../../stores/use-view-store.ts";
import { Checklist, useStepStates } from "./checklist-list.tsx";
import { checklistStore } from "./checklist-store.ts";
import { nothingKept, steps } from "./checklist.ts";
import css from "./first-run.module.css";

/** The first run as a page of its own; the same checklist as on the Overview, whatever became of that. */
export function FirstRunView() {
  const { t } = useTranslation();
  const { bridge } = usePanel();
  const store = useKeptStore("checklist", () => checklistStore(bridge, window.localStorage));
  const kept = useStore(store.kept);
  const states = useStepStates(store);
  const complete = states !== null && steps.every((step) => states[step] !== "open");
  const untouched = kept.dismissed === nothingKept.dismissed && Object.keys(kept.said).length === 0;
  return (
    <ViewFrame title={t("screen.welcome")}>
      <Panel
        title={t("firstRun.title")}
        flush
        actions={
          !untouched && (
            <Button size="small" tone="quiet" onClick={store.actions.restart}>
              {t("firstRun.restart")}
            </Button>
          )
        }
      >
        {states === null ? (
          <div className={css["pending"]}>
            <Skeleton width={48} lines={4} />
          </div>
        ) : (
          <Checklist store={store} states={states} />
        )}
      </Panel>
      <p className={css["acts"]}>
        {complete && <span>{t("firstRun.complete")}</span>}
        <Link href="/">{t("firstRun.overview")}</Link>
      </p>
    </ViewFrame>
  );
}

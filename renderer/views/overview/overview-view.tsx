import { useTranslation } from "react-i18next";
import { ViewFrame } from "../../shell/view-frame.tsx";
import { usePanel } from "../../stores/panel.tsx";
import { useViewStore } from "../../stores/use-view-store.ts";
import { ChecklistPanel } from "../first-run/checklist-panel.tsx";
import { BootPanel } from "./boot-panel.tsx";
import { NeedsPanel } from "./needs-panel.tsx";
import { NoticesPanel } from "./notices-panel.tsx";
import css from "./overview.module.css";
import { overviewStore } from "./overview-store.ts";
import { Tiles } from "./tiles.tsx";

/** Is it working, who needs me, what did the last restart do (ux.md 3). */
export function OverviewView() {
  const { t } = useTranslation();
  const { bridge, gateway } = usePanel();
  const overview = useViewStore(() => overviewStore(bridge, gateway), [bridge, gateway]);
  return (
    <ViewFrame title={t("screen.overview")}>
      <div className={css["overview"]}>
        <ChecklistPanel />
        <NeedsPanel overview={overview} />
        <Tiles />
        <div className={css["pair"]}>
          <BootPanel />
          <NoticesPanel />
        </div>
      </div>
    </ViewFrame>
  );
}

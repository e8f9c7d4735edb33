import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import { StaleBadge } from "../../components/stale-badge.tsx";
import { useCommands } from "../../keys/use-commands.ts";
import { ViewFrame } from "../../shell/view-frame.tsx";
import { usePanel } from "../../stores/panel.tsx";
import { useKeptStore } from "../../stores/use-view-store.ts";
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
  const overview = useKeptStore("overview", () => overviewStore(bridge, gateway));
  const stale = useStore(gateway.store, (state) => state.stale);
  useCommands({
    "app.refresh": () => {
      void overview.actions.pull();
      return false; // the app pulls the rest
    },
  });
  return (
    <ViewFrame title={t("screen.overview")} wide actions={<StaleBadge />}>
      <div className={css["overview"]} data-stale={stale || undefined}>
        <div className={css["main"]}>
          <ChecklistPanel />
          <NeedsPanel overview={overview} />
          <Tiles />
        </div>
        <div className={css["side"]}>
          <BootPanel />
          <NoticesPanel />
        </div>
      </div>
    </ViewFrame>
  );
}

import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import { Failure } from "../../components/failure.tsx";
import { Link } from "../../components/link.tsx";
import { StaleBadge } from "../../components/stale-badge.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { useCommands } from "../../keys/use-commands.ts";
import { useParams } from "../../shell/location.ts";
import { ViewFrame } from "../../shell/view-frame.tsx";
import { usePanel } from "../../stores/panel.tsx";
import { settingsStore, type SettingsStore } from "../../stores/settings.ts";
import { useKeptStore } from "../../stores/use-view-store.ts";
import { AboutSection } from "./about-section.tsx";
import { DataSection } from "./data-section.tsx";
import { DeliveriesSection } from "./deliveries-section.tsx";
import { GeneralSection } from "./general-section.tsx";
import { LogsSection } from "./logs-section.tsx";
import { ProblemsBanner } from "./problems-banner.tsx";
import { sectionIds, sectionOf, settingsPath, type SectionId } from "./sections.ts";
import { SecuritySection } from "./security-section.tsx";
import { SessionsSection } from "./sessions-section.tsx";
import css from "./settings.module.css";

/** Sections that show something without the settings file. */
const independent: ReadonlySet<SectionId> = new Set(["general", "data", "logs", "about"]);

/** Everything that can be set, one section at a time. */
export function SettingsView() {
  const { t } = useTranslation();
  const { bridge } = usePanel();
  const store = useKeptStore("settings", () => settingsStore(bridge));
  const { value: settings, error } = useStore(store.store);
  const section = sectionOf(useParams());
  useCommands({
    "app.refresh": () => {
      void store.actions.pull();
      return false; // the app pulls the rest
    },
  });
  return (
    <ViewFrame title={t("screen.settings")} scroll="none" actions={<StaleBadge />}>
      <div className={css["settings"]}>
        <div className={css["layout"]}>
          <nav className={css["nav"]} aria-label={t("settings.nav")}>
            <ul>
              {sectionIds.map((id) => (
                <li key={id}>
                  <Link
                    href={settingsPath(id)}
                    quiet
                    className={css["navLink"]}
                    current={id === section}
                  >
                    {t(`settings.section.${id}`)}
                  </Link>
                </li>
              ))}
            </ul>
          </nav>
          <div className={css["section"]} data-fill={section === "logs" || undefined}>
            <div className={css["inner"]}>
              <h2 className={css["title"]}>{t(`settings.section.${section}`)}</h2>
              {settings !== null && <ProblemsBanner settings={settings} />}
              {error !== null && (
                <Failure error={error} onRetry={() => void store.actions.pull()} />
              )}
              {settings !== null || independent.has(section) ? (
                <Section section={section} store={store} />
              ) : (
                error === null && <Skeleton width={64} lines={6} />
              )}
            </div>
          </div>
        </div>
      </div>
    </ViewFrame>
  );
}

function Section({ section, store }: { section: SectionId; store: SettingsStore }) {
  switch (section) {
    case "general":
      return <GeneralSection />;
    case "sessions":
      return <SessionsSection store={store} />;
    case "deliveries":
      return <DeliveriesSection store={store} />;
    case "data":
      return <DataSection store={store} />;
    case "logs":
      return <LogsSection store={store} />;
    case "security":
      return <SecuritySection store={store} />;
    case "about":
      return <AboutSection />;
  }
}

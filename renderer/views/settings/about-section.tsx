import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import { CopyButton } from "../../components/copy-button.tsx";
import { Facts } from "../../components/facts.tsx";
import { Id } from "../../components/id.tsx";
import { Panel } from "../../components/panel.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { Time } from "../../components/time.tsx";
import { byteSize } from "../../i18n/format.ts";
import { usePanel } from "../../stores/panel.tsx";

/** The browser under the panel, e.g. "Chrome 141.0.7390.37". */
export function browserName(userAgent: string): string {
  const [, name, version] = /(Electron|Firefox|Chrome)\/([\d.]+)/.exec(userAgent) ?? [];
  return name === undefined ? userAgent : `${name} ${version ?? ""}`;
}

/** Which build this is and what it runs on, to copy into a report. */
export function AboutSection() {
  const { t, i18n } = useTranslation();
  const { gateway } = usePanel();
  const status = useStore(gateway.store, (state) => state.status);
  if (status === null) return <Skeleton width={48} lines={6} />;
  const runtimes = Object.entries(status.runtimes).map(([name, version]) => `${name} ${version}`);
  const browser = browserName(navigator.userAgent);
  const report = () =>
    [
      `Signalbox ${status.version} (${status.host})`,
      `boot ${status.bootId}, pid ${status.pid}, started ${new Date(status.startedAtMs).toISOString()}`,
      `store v${status.storeVersion}, ${status.storeBytes} bytes`,
      `runtimes: ${runtimes.join(", ")}`,
      `window: ${browser}`,
    ].join("\n");
  return (
    <Panel
      title={t("app")}
      actions={
        <CopyButton
          text={report}
          label={t("settings.about.copy")}
          what={t("settings.about.copied")}
        />
      }
    >
      <Facts
        rows={[
          { label: t("settings.about.version"), value: status.version },
          {
            label: t("settings.about.boot"),
            value: <Id value={status.bootId} label={t("settings.about.bootName")} head={40} />,
          },
          { label: t("settings.about.pid"), value: String(status.pid) },
          { label: t("settings.about.host"), value: t(`settings.about.hosts.${status.host}`) },
          { label: t("settings.about.started"), value: <Time atMs={status.startedAtMs} /> },
          {
            label: t("settings.about.memory"),
            value: t("settings.about.memoryValue", {
              rss: byteSize(status.memory.rssBytes, i18n.language),
              heap: byteSize(status.memory.heapBytes, i18n.language),
            }),
          },
          { label: t("settings.about.runtimes"), value: runtimes.join(", ") },
          { label: t("settings.about.window"), value: browser },
          { label: t("settings.about.license"), value: "MIT" },
        ]}
      />
    </Panel>
  );
}

import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import { Facts } from "../../components/facts.tsx";
import { Id } from "../../components/id.tsx";
import { Bytes } from "../../components/numbers.tsx";
import { Panel } from "../../components/panel.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { usePanel } from "../../stores/panel.tsx";
import type { SettingsStore } from "../../stores/settings.ts";

/** Where everything is kept, how much it is, and how long it stays. */
export function DataSection({ store }: { store: SettingsStore }) {
  const { t } = useTranslation();
  const { gateway } = usePanel();
  const status = useStore(gateway.store, (state) => state.status);
  const file = useStore(store.store, (state) => state.value?.file);
  if (status === null) return <Skeleton width={48} lines={6} />;
  return (
    <Panel>
      <Facts
        rows={[
          {
            label: t("settings.data.folder"),
            value: <Id value={status.dataDir} label={t("settings.data.folderName")} head={80} />,
          },
          ...(file === undefined
            ? []
            : [
                {
                  label: t("settings.data.settingsFile"),
                  value: <Id value={file} label={t("settings.safeMode.file")} head={80} />,
                },
              ]),
          {
            label: t("settings.data.store"),
            value: <Bytes value={status.storeBytes} />,
            hint: t("settings.data.storeVersion", { version: status.storeVersion }),
          },
          { label: t("settings.data.free"), value: <Bytes value={status.freeBytes} /> },
          { label: t("settings.data.sessions"), value: t("settings.data.sessionsValue") },
          { label: t("settings.data.logs"), value: t("settings.data.logsValue") },
          { label: t("settings.data.notices"), value: t("settings.data.noticesValue") },
          { label: t("settings.data.secrets"), value: t("settings.data.secretsValue") },
        ]}
      />
    </Panel>
  );
}

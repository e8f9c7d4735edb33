import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import { Button } from "../../components/button.tsx";
import { go } from "../../shell/location.ts";
import { usePanel } from "../../stores/panel.tsx";
import { settingsStore } from "../../stores/settings.ts";
import { useKeptStore } from "../../stores/use-view-store.ts";
import { storedHooks } from "../channels/channel-rows.ts";
import { HookDialog } from "../channels/hook-dialog.tsx";
import css from "./first-run.module.css";

/** Step two: how messages come in. */
export function ChannelStep({ onDone }: { onDone: () => void }) {
  const { t } = useTranslation();
  const { bridge } = usePanel();
  const settings = useKeptStore("settings", () => settingsStore(bridge));
  const read = useStore(settings.store, (state) => state.value);
  const [adding, setAdding] = useState(false);
  return (
    <>
      <p>{t("firstRun.channel.body")}</p>
      <div className={css["acts"]}>
        <Button tone="primary" onClick={onDone}>
          {t("firstRun.channel.local")}
        </Button>
        <Button
          onClick={() => {
            setAdding(true);
          }}
        >
          {t("firstRun.channel.webhook")}
        </Button>
        <Button
          onClick={() => {
            go("/channels");
          }}
        >
          {t("firstRun.channel.simulator")}
        </Button>
      </div>
      {adding && (
        <HookDialog
          name={null}
          hooks={storedHooks(read?.value)}
          settings={settings}
          onClose={() => {
            setAdding(false);
          }}
        />
      )}
    </>
  );
}

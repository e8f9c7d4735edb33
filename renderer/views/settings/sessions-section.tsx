import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import { settingAt, type SettingsStore } from "../../stores/settings.ts";
import { ChoiceSetting, NumberSetting, SwitchSetting } from "./setting-row.tsx";
import css from "./settings.module.css";

const busyModes = ["interrupt", "queue", "steer"] as const;

/** How messages become conversations and turns. */
export function SessionsSection({ store }: { store: SettingsStore }) {
  const { t } = useTranslation();
  const settings = useStore(store.store, (state) => state.value?.value);
  const group = settingAt(settings, "group_sessions_per_user") !== false;
  const thread = settingAt(settings, "thread_sessions_per_user") === true;
  const mode = settingAt(settings, "display.busy_input_mode");
  const busy = busyModes.find((one) => one === mode) ?? "interrupt";
  return (
    <div className={css["rows"]}>
      <SwitchSetting
        store={store}
        path="group_sessions_per_user"
        label={t("settings.sessions.group")}
        hint={t(group ? "settings.sessions.groupOn" : "settings.sessions.groupOff")}
      />
      <SwitchSetting
        store={store}
        path="thread_sessions_per_user"
        label={t("settings.sessions.thread")}
        hint={
          group
            ? t(thread ? "settings.sessions.threadOn" : "settings.sessions.threadOff")
            : t("settings.sessions.threadNeedsGroup")
        }
      />
      <p className={css["note"]}>{t("settings.sessions.newKeys")}</p>
      <ChoiceSetting
        store={store}
        path="display.busy_input_mode"
        label={t("settings.sessions.busy")}
        hint={t(`settings.sessions.busyEffect.${busy}`)}
        options={busyModes.map((value) => ({
          value,
          label: t(`settings.sessions.busyMode.${value}`),
        }))}
      />
      <SwitchSetting
        store={store}
        path="privacy.redact_pii"
        label={t("settings.sessions.redact")}
        hint={t("settings.sessions.redactHint")}
      />
      <NumberSetting
        store={store}
        path="max_concurrent_sessions"
        label={t("settings.sessions.max")}
        hint={t("settings.sessions.maxHint")}
        none={t("settings.sessions.unlimited")}
      />
      <NumberSetting
        store={store}
        path="gateway.quit_drain_timeout"
        label={t("settings.sessions.drain")}
        hint={t("settings.sessions.drainHint")}
      />
    </div>
  );
}

import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import { Panel } from "../../components/panel.tsx";
import { Select } from "../../components/select.tsx";
import { channelsStore } from "../../stores/channels.ts";
import { usePanel } from "../../stores/panel.tsx";
import { settingAt, type SettingsStore } from "../../stores/settings.ts";
import { useLocked } from "../../stores/use-locked.ts";
import { useKeptStore } from "../../stores/use-view-store.ts";
import { ChoiceSetting, NumberSetting, refusalWords, SettingFrame } from "./setting-row.tsx";
import css from "./settings.module.css";

const modes = ["redeliver", "ask"] as const;
const BY_CHANNEL = "gateway.delivery_unknown_by_channel";

/** What becomes of replies that could not be confirmed. */
export function DeliveriesSection({ store }: { store: SettingsStore }) {
  const { t } = useTranslation();
  const settings = useStore(store.store, (state) => state.value?.value);
  const mode = settingAt(settings, "gateway.delivery_unknown") === "ask" ? "ask" : "redeliver";
  return (
    <>
      <div className={css["rows"]}>
        <ChoiceSetting
          store={store}
          path="gateway.delivery_unknown"
          label={t("settings.deliveries.unknown")}
          hint={t(`settings.deliveries.unknownEffect.${mode}`)}
          options={modes.map((value) => ({
            value,
            label: t(`settings.deliveries.unknownMode.${value}`),
          }))}
        />
        <NumberSetting
          store={store}
          path="gateway.delivery_stale_minutes"
          label={t("settings.deliveries.stale")}
          hint={t("settings.deliveries.staleHint")}
        />
      </div>
      <ByChannel store={store} />
    </>
  );
}

/** The same choice for single channels. Those whose replies are read in the transcript have nothing to be unsure of. */
function ByChannel({ store }: { store: SettingsStore }) {
  const { t } = useTranslation();
  const { bridge, gateway } = usePanel();
  const channels = useKeptStore("channels", () => channelsStore(bridge, gateway));
  const rows = useStore(channels.store, (state) => state.value) ?? [];
  const read = useStore(store.store, (state) => state.value);
  const locked = useLocked(read) !== null;
  const saving = useStore(store.saving);
  const sending = rows.filter(({ kind }) => kind !== "local" && kind !== "simulator");
  if (sending.length === 0 || read === null) return null;
  const chosen = (settingAt(read.value, BY_CHANNEL) ?? {}) as Record<string, unknown>;
  const words = (value: string) =>
    value === "ask" || value === "redeliver"
      ? t(`settings.deliveries.unknownMode.${value}`)
      : t("settings.deliveries.same");
  const error = saving.failures.get(BY_CHANNEL);
  const set = (id: string, value: string) => {
    const others = Object.entries(chosen).filter(([one]) => one !== id);
    const next = value === "" ? others : [...others, [id, value] as const];
    // Ids of channels hold no dots, but webhooks' hold a colon: the whole map is written.
    void store.actions.set(BY_CHANNEL, next.length === 0 ? null : Object.fromEntries(next));
  };
  return (
    <Panel title={t("settings.deliveries.byChannel")}>
      <p className={css["note"]}>{t("settings.deliveries.byChannelHint")}</p>
      {sending.map(({ id }) => {
        const own = chosen[id];
        const value = own === "ask" || own === "redeliver" ? own : "";
        return (
          <SettingFrame
            key={id}
            label={id}
            hint={undefined}
            error={error === undefined ? null : refusalWords(error)}
            busy={saving.busy.has(BY_CHANNEL)}
            resetTo={value === "" ? null : t("settings.deliveries.same")}
            onReset={() => {
              set(id, "");
            }}
          >
            <Select
              value={value}
              disabled={locked}
              options={["", ...modes].map((one) => ({ value: one, label: words(one) }))}
              onChange={(next) => {
                set(id, next);
              }}
            />
          </SettingFrame>
        );
      })}
    </Panel>
  );
}

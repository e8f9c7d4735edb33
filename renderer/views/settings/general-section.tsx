import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import { Link } from "../../components/link.tsx";
import { Segments } from "../../components/segments.tsx";
import { Select } from "../../components/select.tsx";
import { Switch } from "../../components/switch.tsx";
import { timeForms } from "../../i18n/format.ts";
import { languages, type Language } from "../../i18n/languages.ts";
import { usePanel } from "../../stores/panel.tsx";
import { densities, readPresentation, themes } from "../../stores/presentation.ts";
import { SettingFrame } from "./setting-row.tsx";
import { ToastKinds } from "./toast-kinds.tsx";
import css from "./settings.module.css";

const languageOptions = (Object.keys(languages) as Language[]).map((value) => ({
  value,
  label: languages[value],
}));

/** How this window looks and listens; kept in this browser. */
export function GeneralSection() {
  const { t } = useTranslation();
  const { presentation } = usePanel();
  const now = useStore(presentation.store);
  const usual = readPresentation(null, navigator.languages);
  const { set } = presentation.actions;
  const row = (
    name: "language" | "theme" | "density" | "timeForm" | "singleKeys",
    label: string,
    hint: string | undefined,
    usualWord: string,
    control: React.ReactNode,
  ) => (
    <SettingFrame
      label={label}
      hint={hint}
      error={null}
      busy={false}
      resetTo={now[name] === usual[name] ? null : usualWord}
      onReset={() => {
        set({ [name]: usual[name] });
      }}
    >
      {control}
    </SettingFrame>
  );
  return (
    <div className={css["rows"]}>
      <p className={css["note"]}>{t("settings.general.here")}</p>
      {row(
        "language",
        t("settings.general.language"),
        undefined,
        languages[usual.language],
        <Select
          value={now.language}
          options={languageOptions}
          onChange={(language) => {
            set({ language });
          }}
        />,
      )}
      {row(
        "theme",
        t("settings.general.theme"),
        undefined,
        t(`settings.general.themes.${usual.theme}`),
        <Segments
          label={t("settings.general.theme")}
          value={now.theme}
          options={themes.map((id) => ({ id, label: t(`settings.general.themes.${id}`) }))}
          onChange={(theme) => {
            set({ theme });
          }}
        />,
      )}
      {row(
        "density",
        t("settings.general.density"),
        t("settings.general.densityHint"),
        t(`settings.general.densities.${usual.density}`),
        <Segments
          label={t("settings.general.density")}
          value={now.density}
          options={densities.map((id) => ({ id, label: t(`settings.general.densities.${id}`) }))}
          onChange={(density) => {
            set({ density });
          }}
        />,
      )}
      {row(
        "timeForm",
        t("settings.general.timeForm"),
        t("settings.general.timeFormHint"),
        t(`settings.general.timeForms.${usual.timeForm}`),
        <Segments
          label={t("settings.general.timeForm")}
          value={now.timeForm}
          options={timeForms.map((id) => ({ id, label: t(`settings.general.timeForms.${id}`) }))}
          onChange={(timeForm) => {
            set({ timeForm });
          }}
        />,
      )}
      {row(
        "singleKeys",
        t("settings.general.singleKeys"),
        t("settings.general.singleKeysHint"),
        t("settings.on"),
        <Switch
          checked={now.singleKeys}
          onChange={(singleKeys) => {
            set({ singleKeys });
          }}
        />,
      )}
      <ToastKinds />
      <SettingFrame
        label={t("settings.general.setupLabel")}
        hint={t("settings.general.setupHint")}
        error={null}
        busy={false}
        resetTo={null}
        onReset={() => {}}
      >
        <Link href="/welcome">{t("settings.general.setupOpen")}</Link>
      </SettingFrame>
    </div>
  );
}

import { useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import { Button } from "../../components/button.tsx";
import { Field } from "../../components/field.tsx";
import { Select } from "../../components/select.tsx";
import { Switch } from "../../components/switch.tsx";
import { TextInput } from "../../components/text-input.tsx";
import type { WireError } from "../../../core/contract/errors.ts";
import { settingAt, type SettingsStore } from "../../stores/settings.ts";
import { useLocked } from "../../stores/use-locked.ts";
import css from "./settings.module.css";

interface RowProps {
  store: SettingsStore;
  /** Its place in the settings file, e.g. `log.level`. */
  path: string;
  label: string;
  /** One line on what it does as it stands. */
  hint?: ReactNode;
}

/** A refusal in words, with what to do about it. */
export function refusalWords(error: WireError): string {
  const { remedy } = error.details;
  return typeof remedy === "string" ? `${error.message} ${remedy}` : error.message;
}

function useSetting(store: SettingsStore, path: string) {
  const read = useStore(store.store, (state) => state.value);
  const locked = useLocked(read);
  const error = useStore(store.saving, (state) => state.failures.get(path));
  const busy = useStore(store.saving, (state) => state.busy.has(path));
  const value = settingAt(read?.value, path);
  const fallback = settingAt(read?.defaults, path);
  const isChanged = read !== null && JSON.stringify(value) !== JSON.stringify(fallback);
  const isLocked = read === null || locked !== null;
  return {
    value,
    fallback,
    isChanged,
    isLocked,
    canReset: isChanged && !isLocked,
    busy,
    error: error === undefined ? null : refusalWords(error),
    set: (next: unknown) => store.actions.set(path, next),
  };
}

interface FrameProps {
  label: string;
  hint: ReactNode;
  error: string | null;
  busy: boolean;
  /** What it goes back to, in words; null where it stands at its default. */
  resetTo: string | null;
  onReset: () => void;
  children: ReactNode;
}

/** One setting: label and effect on one side, its control and its way back on the other. */
export function SettingFrame(props: FrameProps) {
  const { label, hint, error, busy, resetTo, onReset, children } = props;
  const { t } = useTranslation();
  return (
    <div className={css["setting"]}>
      <Field label={label} hint={hint} error={error} inline>
        <span className={css["control"]}>
          {busy && <span className={css["busy"]}>{t("settings.saving")}</span>}
          {resetTo !== null && !busy && (
            <Button size="small" tone="quiet" onClick={onReset}>
              <span aria-hidden>{t("settings.reset", { value: resetTo })}</span>
              <span className="quiet">
                {t("settings.resetWhat", { what: label, value: resetTo })}
              </span>
            </Button>
          )}
          {children}
        </span>
      </Field>
    </div>
  );
}

/** A yes or no of the settings file. */
export function SwitchSetting({ store, path, label, hint }: RowProps) {
  const { t } = useTranslation();
  const setting = useSetting(store, path);
  return (
    <SettingFrame
      label={label}
      hint={hint}
      error={setting.error}
      busy={setting.busy}
      resetTo={
        setting.canReset ? t(setting.fallback === true ? "settings.on" : "settings.off") : null
      }
      onReset={() => {
        void setting.set(null);
      }}
    >
      <Switch
        checked={setting.value === true}
        disabled={setting.isLocked}
        onChange={(on) => {
          void setting.set(on === setting.fallback ? null : on);
        }}
      />
    </SettingFrame>
  );
}

interface ChoiceProps<Value extends string> extends RowProps {
  options: readonly { value: Value; label: string }[];
}

/** A choice of one word of the settings file. */
export function ChoiceSetting<Value extends string>(props: ChoiceProps<Value>) {
  const { store, path, label, hint, options } = props;
  const setting = useSetting(store, path);
  const chosen = options.find(({ value }) => value === setting.value)?.value ?? options[0]?.value;
  const fallback = options.find(({ value }) => value === setting.fallback);
  return (
    <SettingFrame
      label={label}
      hint={hint}
      error={setting.error}
      busy={setting.busy}
      resetTo={setting.canReset ? (fallback?.label ?? String(setting.fallback)) : null}
      onReset={() => {
        void setting.set(null);
      }}
    >
      {chosen !== undefined && (
        <Select
          value={chosen}
          options={options}
          disabled={setting.isLocked}
          onChange={(value) => {
            void setting.set(value === setting.fallback ? null : value);
          }}
        />
      )}
    </SettingFrame>
  );
}

interface NumberProps extends RowProps {
  /** The default in words, where its number alone would not tell. */
  none?: string;
}

/** A number of the settings file: empty is the default, which stands in it as a placeholder. */
export function NumberSetting({ store, path, label, hint, none }: NumberProps) {
  const setting = useSetting(store, path);
  const [typed, setTyped] = useState<string | null>(null);
  const words = (value: unknown) => {
    if (none !== undefined && (value === setting.fallback || value === null)) return none;
    return typeof value === "number" ? String(value) : "";
  };
  const shown = setting.isChanged ? words(setting.value) : "";
  const commit = async () => {
    if (typed === null || typed.trim() === shown) {
      setTyped(null);
      return;
    }
    const text = typed.trim();
    const number = Number(text);
    // What is no number goes to the gateway as it is: its refusal names the field and the remedy.
    const value = text === "" ? null : Number.isFinite(number) ? number : text;
    const reply = await setting.set(value === setting.fallback ? null : value);
    if (reply.ok) setTyped(null); // what was refused stays, to be corrected
  };
  return (
    <SettingFrame
      label={label}
      hint={hint}
      error={setting.error}
      busy={setting.busy}
      resetTo={setting.canReset ? words(setting.fallback) : null}
      onReset={() => {
        setTyped(null);
        void setting.set(null);
      }}
    >
      <span className={css["narrow"]}>
        <TextInput
          value={typed ?? shown}
          placeholder={words(setting.fallback)}
          disabled={setting.isLocked}
          onChange={setTyped}
          onCommit={() => void commit()}
        />
      </span>
    </SettingFrame>
  );
}

import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { WireError } from "../../../core/contract/errors.ts";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Failure } from "../../components/failure.tsx";
import { isMac } from "../../keys/platform.ts";
import type { SettingsStore } from "../../stores/settings.ts";
import { HookFields } from "./hook-fields.tsx";
import { HookShown } from "./hook-shown.tsx";
import {
  faultyField,
  hookEntry,
  hookFaults,
  hookForm,
  type HookField,
  type StoredHook,
} from "./hook-form.ts";
import css from "./channels.module.css";

export interface HookDialogProps {
  /** The webhook to edit; null adds one. */
  name: string | null;
  hooks: Readonly<Record<string, StoredHook>>;
  settings: SettingsStore;
  onClose: () => void;
  /** Called with the name of what was saved. */
  onSaved?: (name: string) => void;
}

/** Adds or edits a webhook; where its secret is new, it is then shown once, with a command to try it. */
export function HookDialog({ name, hooks, settings, onClose, onSaved }: HookDialogProps) {
  const { t } = useTranslation();
  const stored = name === null ? null : (hooks[name] ?? null);
  const [form, setForm] = useState(() => hookForm(name ?? "", stored));
  const [tried, setTried] = useState(false);
  const [saving, setSaving] = useState(false);
  const [error, setError] = useState<WireError | null>(null);
  const [shown, setShown] = useState<string | null>(null);

  const faults = hookFaults(form, name === null ? Object.keys(hooks) : []);
  const refused = error === null ? null : faultyField(error.details["field"]);
  const wordsOf = (field: HookField): string | null => {
    const fault = faults[field];
    if (tried && fault !== undefined) return t(`channels.hook.fault.${fault}`);
    return refused === field ? (error?.message ?? null) : null;
  };

  const save = async () => {
    setTried(true);
    setError(null);
    if (Object.keys(faults).length > 0) return;
    setSaving(true);
    const reply = await settings.actions.set(
      `channels.webhook.${form.name}`,
      hookEntry(form, stored),
    );
    setSaving(false);
    if (!reply.ok) {
      setError(reply.error);
      return;
    }
    onSaved?.(form.name);
    if (form.secret === null) onClose();
    else setShown(form.secret);
  };

  if (shown !== null) return <HookShown name={form.name} secret={shown} onClose={onClose} />;
  const buttons = [
    <Button key="cancel" onClick={onClose}>
      {t("action.cancel")}
    </Button>,
    <Button key="save" tone="primary" busy={saving} onClick={() => void save()}>
      {saving ? t("channels.hook.saving") : t("channels.hook.save")}
    </Button>,
  ];
  return (
    <Dialog
      open
      title={name === null ? t("channels.hook.addTitle") : t("channels.hook.editTitle", { name })}
      width="wide"
      onClose={onClose}
      footer={isMac ? buttons : buttons.toReversed()}
    >
      <form
        className={css["form"]}
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <HookFields
          form={form}
          isNew={name === null}
          wordsOf={wordsOf}
          onChange={(changes) => {
            setForm((before) => ({ ...before, ...changes }));
          }}
        />
        {error !== null && refused === null && <Failure error={error} compact />}
        <button type="submit" hidden>
          {t("action.save")}
        </button>
      </form>
    </Dialog>
  );
}

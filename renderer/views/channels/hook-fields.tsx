import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import { Button } from "../../components/button.tsx";
import { Field } from "../../components/field.tsx";
import { Select } from "../../components/select.tsx";
import { Switch } from "../../components/switch.tsx";
import { TextInput } from "../../components/text-input.tsx";
import { agentsStore } from "../../stores/agents.ts";
import { usePanel } from "../../stores/panel.tsx";
import { useKeptStore } from "../../stores/use-view-store.ts";
import { newSecret } from "./hook-command.ts";
import { chatTypes, DEFAULT_TIMEOUT_MS, type HookField, type HookForm } from "./hook-form.ts";
import css from "./channels.module.css";

export interface HookFieldsProps {
  form: HookForm;
  isNew: boolean;
  /** What is wrong with a field, in words. */
  wordsOf: (field: HookField) => string | null;
  onChange: (changes: Partial<HookForm>) => void;
}

/** The fields of a webhook. */
export function HookFields({ form, isNew, wordsOf, onChange }: HookFieldsProps) {
  const { t } = useTranslation();
  const { bridge } = usePanel();
  const agents = useKeptStore("agents", () => agentsStore(bridge));
  const rows = useStore(agents.store, (state) => state.value) ?? [];
  const hasOut = form.outUrl.trim() !== "";
  return (
    <>
      {isNew && (
        <Field
          label={t("channels.hook.name")}
          hint={t("channels.hook.nameHint", { name: form.name === "" ? "…" : form.name })}
          error={wordsOf("name")}
        >
          <TextInput
            mono
            value={form.name}
            placeholder={t("channels.hook.namePlace")}
            onChange={(name) => {
              onChange({ name });
            }}
          />
        </Field>
      )}
      <SecretField form={form} isNew={isNew} error={wordsOf("secret")} onChange={onChange} />
      <Field
        label={t("channels.hook.outUrl")}
        hint={t("channels.hook.outUrlHint")}
        error={wordsOf("outUrl")}
      >
        <TextInput
          mono
          wide
          type="url"
          value={form.outUrl}
          placeholder={t("channels.hook.outUrlPlace")}
          onChange={(outUrl) => {
            onChange({ outUrl });
          }}
        />
      </Field>
      {hasOut && (
        <div className={css["two"]}>
          <Field
            label={t("channels.hook.timeout")}
            hint={t("channels.hook.timeoutHint")}
            error={wordsOf("timeoutS")}
          >
            <TextInput
              value={form.timeoutS}
              placeholder={String(DEFAULT_TIMEOUT_MS / 1_000)}
              onChange={(timeoutS) => {
                onChange({ timeoutS });
              }}
            />
          </Field>
          <Field
            label={t("channels.hook.idempotent")}
            hint={t("channels.hook.idempotentHint")}
            inline
          >
            <Switch
              checked={form.idempotent}
              onChange={(idempotent) => {
                onChange({ idempotent });
              }}
            />
          </Field>
        </div>
      )}
      <div className={css["two"]}>
        <Field label={t("channels.hook.chatType")}>
          <Select
            value={form.chatType}
            options={chatTypes.map((value) => ({ value, label: t(`channels.chatTypes.${value}`) }))}
            onChange={(chatType) => {
              onChange({ chatType });
            }}
          />
        </Field>
        <Field label={t("channels.hook.agent")}>
          <Select
            value={form.agent}
            options={[
              { value: "", label: t("channels.hook.agentDefault") },
              ...rows.map(({ id }) => ({ value: id, label: id })),
            ]}
            onChange={(agent) => {
              onChange({ agent });
            }}
          />
        </Field>
      </div>
    </>
  );
}

interface SecretFieldProps extends Pick<HookFieldsProps, "form" | "isNew" | "onChange"> {
  error: string | null;
}

/** A secret is written, never read: a stored one is kept or replaced. */
function SecretField({ form, isNew, error, onChange }: SecretFieldProps) {
  const { t } = useTranslation();
  const { secret } = form;
  if (secret === null)
    return (
      <Field label={t("channels.hook.secret")} hint={t("channels.hook.secretKept")}>
        <Button
          size="small"
          onClick={() => {
            onChange({ secret: newSecret() });
          }}
        >
          {t("channels.hook.replace")}
        </Button>
      </Field>
    );
  return (
    <Field label={t("channels.hook.secret")} hint={t("channels.hook.secretHint")} error={error}>
      <div className={css["secret"]}>
        <TextInput
          mono
          wide
          value={secret}
          onChange={(text) => {
            onChange({ secret: text });
          }}
        />
        <Button
          onClick={() => {
            onChange({ secret: newSecret() });
          }}
        >
          {t("channels.hook.generate")}
        </Button>
        {!isNew && (
          <Button
            tone="quiet"
            onClick={() => {
              onChange({ secret: null });
            }}
          >
            {t("channels.hook.keep")}
          </Button>
        )}
      </div>
    </Field>
  );
}

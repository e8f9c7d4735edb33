import { useTranslation } from "react-i18next";
import { Button } from "../../components/button.tsx";
import { Field } from "../../components/field.tsx";
import { Segments } from "../../components/segments.tsx";
import { SuggestInput } from "../../components/suggest-input.tsx";
import { TextInput } from "../../components/text-input.tsx";
import { presetIds, presets, type AgentField, type AgentForm, type Preset } from "./agent-form.ts";
import css from "./agents.module.css";

export interface AgentFieldsProps {
  form: AgentForm;
  isNew: boolean;
  /** A key is stored, and may be kept. */
  hasKey: boolean;
  models: readonly string[];
  /** What is wrong with a field, in words. */
  wordsOf: (field: AgentField) => string | null;
  keyHint: string | null;
  onPreset: (preset: Preset) => void;
  onChange: (changes: Partial<AgentForm>) => void;
}

/** The fields of an OpenAI-compatible server. */
export function AgentFields(props: AgentFieldsProps) {
  const { form, isNew, models, wordsOf, onPreset, onChange } = props;
  const { t } = useTranslation();
  return (
    <>
      {isNew && (
        <>
          <Segments
            label={t("agents.server.preset")}
            value={form.preset}
            options={presetIds.map((id) => ({
              id,
              label: presets[id].name ?? t("agents.server.custom"),
            }))}
            onChange={onPreset}
          />
          <Field
            label={t("agents.server.id")}
            hint={t("agents.server.idHint")}
            error={wordsOf("id")}
          >
            <TextInput
              mono
              value={form.id}
              onChange={(id) => {
                onChange({ id });
              }}
            />
          </Field>
        </>
      )}
      <Field
        label={t("agents.server.baseUrl")}
        hint={t("agents.server.baseUrlHint")}
        error={wordsOf("baseUrl")}
      >
        <TextInput
          mono
          wide
          type="url"
          value={form.baseUrl}
          placeholder="https://models.example/v1"
          onChange={(baseUrl) => {
            onChange({ baseUrl });
          }}
        />
      </Field>
      <KeyField
        form={form}
        hasKey={props.hasKey}
        error={wordsOf("apiKey")}
        hint={props.keyHint}
        onChange={onChange}
      />
      <Field
        label={t("agents.server.model")}
        hint={
          models.length === 0
            ? t("agents.server.modelHint")
            : t("agents.server.modelFound", { count: models.length })
        }
        error={wordsOf("model")}
      >
        <SuggestInput
          value={form.model}
          suggestions={models}
          onChange={(model) => {
            onChange({ model });
          }}
        />
      </Field>
    </>
  );
}

type KeyFieldProps = Pick<AgentFieldsProps, "form" | "hasKey" | "onChange"> & {
  error: string | null;
  hint: string | null;
};

/** A key is written, never read: a stored one is kept or replaced. */
function KeyField({ form, hasKey, error, hint, onChange }: KeyFieldProps) {
  const { t } = useTranslation();
  const kept = form.apiKey === null;
  return (
    <Field
      label={t("agents.server.apiKey")}
      hint={hint ?? t(kept ? "agents.server.apiKeyKept" : "agents.server.apiKeyHint")}
      error={error}
    >
      {form.apiKey === null ? (
        <Button
          size="small"
          onClick={() => {
            onChange({ apiKey: "" });
          }}
        >
          {t("agents.server.replace")}
        </Button>
      ) : (
        <span className={css["key"]}>
          <TextInput
            mono
            wide
            type="password"
            value={form.apiKey}
            onChange={(apiKey) => {
              onChange({ apiKey });
            }}
          />
          {hasKey && (
            <Button
              tone="quiet"
              onClick={() => {
                onChange({ apiKey: null });
              }}
            >
              {t("agents.server.keepKey")}
            </Button>
          )}
        </span>
      )}
    </Field>
  );
}

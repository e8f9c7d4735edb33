import { useTranslation } from "react-i18next";
import type { AgentRow } from "../../../core/contract/domain.ts";
import { Field } from "../../components/field.tsx";
import { Select } from "../../components/select.tsx";
import { settingAt } from "../../stores/settings.ts";
import css from "./agents.module.css";

export interface DefaultAgentProps {
  rows: readonly AgentRow[];
  /** The settings, where they are known. */
  chosen: unknown;
  locked: boolean;
  onChange: (id: string) => void;
}

/** Which agent answers where nothing else is set. */
export function DefaultAgent({ rows, chosen, locked, onChange }: DefaultAgentProps) {
  const { t } = useTranslation();
  const setting = settingAt(chosen, "defaultAgent");
  const value = typeof setting === "string" ? setting : "auto";
  const now = rows.find((row) => row.isDefault)?.id;
  const known = value === "auto" || rows.some((row) => row.id === value);
  return (
    <div className={css["toolbar"]}>
      <Field label={t("agents.defaultAgent")} inline>
        <Select
          value={value}
          disabled={locked}
          options={[
            {
              value: "auto",
              label:
                value === "auto" && now !== undefined
                  ? t("agents.automaticNow", { name: now })
                  : t("agents.automatic"),
            },
            ...rows.map(({ id }) => ({ value: id, label: id })),
            ...(known ? [] : [{ value, label: t("agents.defaultGone", { name: value }) }]),
          ]}
          onChange={onChange}
        />
      </Field>
    </div>
  );
}

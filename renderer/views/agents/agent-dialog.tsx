import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { AgentRow, ProbeResult } from "../../../core/contract/domain.ts";
import type { WireError } from "../../../core/contract/errors.ts";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Failure } from "../../components/failure.tsx";
import { isMac } from "../../keys/platform.ts";
import { usePanel } from "../../stores/panel.tsx";
import type { SettingsStore } from "../../stores/settings.ts";
import { AgentFields } from "./agent-fields.tsx";
import {
  agentEntry,
  agentFaults,
  agentForm,
  faultyField,
  presetForm,
  testedPart,
  type AgentField,
} from "./agent-form.ts";
import { TestVerdict } from "./test-verdict.tsx";
import css from "./agents.module.css";

export interface AgentDialogProps {
  /** The agent to edit, or a found one to keep; null adds one. */
  row: AgentRow | null;
  agents: readonly AgentRow[];
  settings: SettingsStore;
  onClose: () => void;
  onSaved?: (id: string) => void;
}

/** Adds or edits an OpenAI-compatible server. It is tested before it is saved; a failed test may be saved over. */
export function AgentDialog({ row, agents, settings, onClose, onSaved }: AgentDialogProps) {
  const { t } = useTranslation();
  const { bridge } = usePanel();
  const taken = agents.filter((one) => one.origin !== "found").map((one) => one.id);
  const [form, setForm] = useState(() =>
    row === null ? presetForm("ollama", taken) : agentForm(row),
  );
  const [tried, setTried] = useState(false);
  const [busy, setBusy] = useState<"test" | "save" | null>(null);
  const [error, setError] = useState<WireError | null>(null);
  const [test, setTest] = useState<{ of: string; result: ProbeResult } | null>(null);

  const isNew = row === null;
  const faults = agentFaults(form, isNew ? taken : []);
  const moved = row !== null && form.apiKey === null && form.baseUrl.trim() !== row.baseUrl;
  const result = test?.of === testedPart(form) ? test.result : null;
  const models = result?.models ?? row?.probe.models ?? [];
  const refused = error === null ? null : faultyField(error.details["field"]);
  const wordsOf = (field: AgentField): string | null => {
    const fault = faults[field];
    if (tried && fault !== undefined) return t(`agents.server.fault.${fault}`);
    if (refused === field) return error?.message ?? null;
    const unnamed = field === "model" && form.model.trim() !== "" && result?.state === "ok";
    return unnamed && !result.models.includes(form.model.trim()) && result.models.length > 0
      ? t("agents.server.modelMissing")
      : null;
  };

  const runTest = async () => {
    setTried(true);
    setError(null);
    if (faults.baseUrl !== undefined) return;
    setBusy("test");
    const of = testedPart(form);
    // A stored key is known to the gateway only, which tries it at the stored address and nowhere else.
    const stored = row !== null && form.apiKey === null && !moved;
    const reply = stored
      ? await bridge.call("agents.probe", { id: row.id })
      : await bridge.call("agents.test", {
          baseUrl: form.baseUrl.trim(),
          ...(form.apiKey === null || form.apiKey === "" ? {} : { apiKey: form.apiKey }),
        });
    setBusy(null);
    if (!reply.ok) {
      setError(reply.error);
      return;
    }
    const { value } = reply;
    const probed = "agents" in value ? value.agents.find(({ id }) => id === row?.id)?.probe : value;
    if (probed !== undefined) setTest({ of, result: probed });
  };
  const save = async () => {
    setTried(true);
    setError(null);
    if (Object.keys(faults).length > 0) return;
    setBusy("save");
    const reply = await settings.actions.set(`agents.${form.id}`, agentEntry(form));
    setBusy(null);
    if (!reply.ok) {
      setError(reply.error);
      return;
    }
    onSaved?.(form.id);
    onClose();
  };

  const verb = result?.state === "failed" ? "saveAnyway" : "save";
  const buttons = [
    <Button key="cancel" onClick={onClose}>
      {t("action.cancel")}
    </Button>,
    <Button
      key="test"
      tone={result === null ? "primary" : "plain"}
      busy={busy === "test"}
      onClick={() => void runTest()}
    >
      {busy === "test" ? t("agents.server.testing") : t("agents.server.test")}
    </Button>,
    <Button
      key="save"
      tone={result?.state === "ok" ? "primary" : "plain"}
      busy={busy === "save"}
      why={result === null ? t("agents.server.testFirst") : null}
      onClick={() => void save()}
    >
      {busy === "save" ? t("agents.server.saving") : t(`agents.server.${verb}`)}
    </Button>,
  ];
  const title =
    row === null
      ? t("agents.server.addTitle")
      : t(row.origin === "found" ? "agents.server.keepTitle" : "agents.server.editTitle", {
          id: row.id,
        });
  return (
    <Dialog
      open
      title={title}
      width="wide"
      onClose={onClose}
      footer={isMac ? buttons : buttons.toReversed()}
    >
      <form
        className={css["form"]}
        onSubmit={(event) => {
          event.preventDefault();
          void (result === null ? runTest() : save());
        }}
      >
        <AgentFields
          form={form}
          isNew={isNew}
          hasKey={row?.hasKey === true}
          models={models}
          wordsOf={wordsOf}
          keyHint={moved ? t("agents.server.retestKey") : null}
          onPreset={(preset) => {
            setForm(presetForm(preset, taken));
            setTried(false);
          }}
          onChange={(changes) => {
            setForm((before) => ({ ...before, ...changes }));
          }}
        />
        {result !== null && <TestVerdict result={result} />}
        {error !== null && refused === null && <Failure error={error} compact />}
        <button type="submit" hidden>
          {t("action.save")}
        </button>
      </form>
    </Dialog>
  );
}

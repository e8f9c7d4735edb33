import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import { isMac } from "../keys/platform.ts";
import { usePanel } from "../stores/panel.tsx";
import type { AskState, Question } from "../stores/ask.ts";
import css from "./ask-dialog.module.css";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { Facts } from "./facts.tsx";
import { Failure } from "./failure.tsx";
import { Field } from "./field.tsx";
import { TextInput } from "./text-input.tsx";

const NAMED = 5;

/** The question under way, if there is one. Cancel has the focus, so Enter changes nothing (ux.md 7). */
export function AskDialog() {
  const { ask } = usePanel();
  const state = useStore(ask.store);
  // While it fades out it still shows what it asked.
  const [shown, setShown] = useState<Question | null>(null);
  if (state.question !== null && state.question !== shown) setShown(state.question);
  const question = state.question ?? shown;
  return question && <QuestionDialog key={state.asked} question={question} state={state} />;
}

function QuestionDialog({ question, state }: { question: Question; state: AskState }) {
  const { t } = useTranslation();
  const { ask } = usePanel();
  const cancel = useRef<HTMLButtonElement>(null);
  const [typed, setTyped] = useState("");
  const { names = [], skipped = [], facts } = question;
  const busy = state.done !== null;
  const total = names.length;
  const buttons = [
    <Button key="cancel" ref={cancel} onClick={ask.actions.cancel} disabled={busy}>
      {t("action.cancel")}
    </Button>,
    <Button
      key="verb"
      tone={question.tone === "danger" ? "danger" : "primary"}
      busy={busy}
      disabled={!busy && question.typed !== undefined && typed.trim() !== question.typed}
      onClick={() => void ask.actions.confirm()}
    >
      {busy ? question.busyVerb : question.verb}
      {busy && total > 1 && ` ${t("ask.progress", { done: state.done, total })}`}
    </Button>,
  ];
  return (
    <Dialog
      open={state.question !== null}
      title={question.title}
      onClose={ask.actions.cancel}
      initialFocus={cancel}
      footer={isMac ? buttons : buttons.toReversed()}
    >
      {question.body !== undefined && <p>{question.body}</p>}
      {total > 1 && (
        <ul className={css["names"]}>
          {names.slice(0, NAMED).map((name, index) => (
            <li key={`${name} ${index}`}>{name}</li>
          ))}
          {total > NAMED && <li>{t("ask.andMore", { count: total - NAMED })}</li>}
        </ul>
      )}
      {facts.length > 0 && <Facts rows={facts} />}
      {skipped.length > 0 && (
        <details className={css["skipped"]} open={skipped.length <= NAMED}>
          <summary>{t("ask.skipped", { count: skipped.length })}</summary>
          <ul>
            {skipped.slice(0, 50).map((line, index) => (
              <li key={`${line} ${index}`}>{line}</li>
            ))}
          </ul>
        </details>
      )}
      {question.typed !== undefined && (
        <Field label={t("ask.typeToConfirm", { text: question.typed })}>
          <TextInput value={typed} onChange={setTyped} />
        </Field>
      )}
      {state.error !== null && <Failure error={state.error} compact />}
    </Dialog>
  );
}

import ChevronDown from "lucide-react/icons/chevron-down";
import { useId, useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import { Button } from "../../components/button.tsx";
import { StateGlyph } from "../../components/state-glyph.tsx";
import type { StateName } from "../../components/state-names.ts";
import { AgentStep } from "./agent-step.tsx";
import { ChannelStep } from "./channel-step.tsx";
import type { ChecklistStore } from "./checklist-store.ts";
import { stepStates, steps, type Step, type StepState } from "./checklist.ts";
import { DataStep } from "./data-step.tsx";
import { useResults } from "./use-results.ts";
import { TestStep } from "./test-step.tsx";
import css from "./first-run.module.css";

/** How far each step is; null while it is not known. */
export function useStepStates(store: ChecklistStore): Record<Step, StepState> | null {
  const kept = useStore(store.kept);
  const channels = useStore(store.channels.store, (state) => state.value);
  const agents = useStore(store.agents.store, (state) => state.value);
  return channels === null || agents === null ? null : stepStates(kept, { channels, agents });
}

const looks: Record<StepState, StateName> = { done: "ok", skipped: "suppressed", open: "idle" };

/** The four steps; the first open one is unfolded. */
export function Checklist({
  store,
  states,
}: {
  store: ChecklistStore;
  states: Record<Step, StepState>;
}) {
  const [chosen, setChosen] = useState<Step | "none" | null>(null);
  const results = useResults(store, states);
  const firstOpen = steps.find((step) => states[step] === "open");
  const unfolded = chosen ?? firstOpen;
  const body = (step: Step): ReactNode => {
    const done = () => {
      store.actions.say(step, "done");
      setChosen(null);
    };
    switch (step) {
      case "data":
        return <DataStep onDone={done} />;
      case "channel":
        return <ChannelStep onDone={done} />;
      case "agent":
        return <AgentStep store={store} onDone={done} />;
      case "test":
        return (
          <TestStep
            store={store}
            onArrived={() => {
              store.actions.say("test", "done");
              setChosen("test"); // what was just watched stays on screen
            }}
          />
        );
    }
  };
  return (
    <ol className={css["steps"]}>
      {steps.map((step) => (
        <StepItem
          key={step}
          step={step}
          state={states[step]}
          result={results[step]}
          open={unfolded === step}
          onToggle={() => {
            setChosen(unfolded === step ? "none" : step);
          }}
          onSkip={() => {
            store.actions.say(step, "skipped");
            setChosen(null);
          }}
        >
          {body(step)}
        </StepItem>
      ))}
    </ol>
  );
}

interface StepItemProps {
  step: Step;
  state: StepState;
  result: string | null;
  open: boolean;
  onToggle: () => void;
  onSkip: () => void;
  children: ReactNode;
}

function StepItem({ step, state, result, open, onToggle, onSkip, children }: StepItemProps) {
  const { t } = useTranslation();
  const id = useId();
  return (
    <li className={css["step"]}>
      <div className={css["stepHead"]}>
        <h3 className={css["stepTitle"]}>
          <button
            type="button"
            className={css["stepButton"]}
            aria-expanded={open}
            aria-controls={id}
            onClick={onToggle}
          >
            <StateGlyph state={looks[state]} title={t(`firstRun.state.${state}`)} />
            <span>{t(`firstRun.step.${step}`)}</span>
            {result !== null && <span className={css["result"]}>{result}</span>}
            <ChevronDown aria-hidden className={css["chevron"]} />
          </button>
        </h3>
        {state === "open" && (
          <Button size="small" tone="quiet" onClick={onSkip}>
            {t("firstRun.skip")}
            <span className="quiet"> {t(`firstRun.step.${step}`)}</span>
          </Button>
        )}
      </div>
      <div id={id} className={css["stepBody"]} hidden={!open}>
        {open && children}
      </div>
    </li>
  );
}

import { useTranslation } from "react-i18next";
import { Id } from "../../components/id.tsx";
import { StateGlyph } from "../../components/state-glyph.tsx";
import { stages, type Journey, type Stage } from "./journey.ts";
import css from "./first-run.module.css";

/** The stages of a message's way with the time of each, drawn to scale. */
export function JourneyList({ journey }: { journey: Journey }) {
  const { t, i18n } = useTranslation();
  const times = stages.flatMap((stage) => {
    const at = journey.reached[stage];
    return typeof at === "number" ? [at] : [];
  });
  const whole = Math.max(1, ...times);
  const words = (ms: number) =>
    ms < 1_000
      ? t("firstRun.test.ms", { value: ms })
      : t("firstRun.test.s", {
          value: new Intl.NumberFormat(i18n.language, { maximumFractionDigits: 1 }).format(
            ms / 1_000,
          ),
        });
  /** When the stage before it was reached: where its bar begins. */
  const startOf = (stage: Stage): number =>
    stages.slice(0, stages.indexOf(stage)).reduce((latest, one) => {
      const at = journey.reached[one];
      return typeof at === "number" ? Math.max(latest, at) : latest;
    }, 0);
  const next = stages.find((stage) => journey.reached[stage] === null);
  return (
    <>
      <ol className={css["journey"]} aria-label={t("firstRun.test.stages")} aria-live="polite">
        {stages.map((stage) => {
          const at = journey.reached[stage];
          const failed = journey.failure !== null && stage === next;
          const state = failed
            ? "failed"
            : at !== null
              ? "ok"
              : stage === next && !journey.over
                ? "running"
                : "unchecked";
          const start = startOf(stage);
          return (
            <li key={stage} className={css["stage"]} data-reached={at !== null || undefined}>
              <StateGlyph state={state} />
              <span>{t(`firstRun.test.stage.${stage}`)}</span>
              <span className={css["track"]} aria-hidden>
                {typeof at === "number" && (
                  <span
                    className={css["bar"]}
                    style={{
                      insetInlineStart: `${(start / whole) * 100}%`,
                      inlineSize: `${((at - start) / whole) * 100}%`,
                    }}
                  />
                )}
              </span>
              <span className={css["at"]}>
                {at === "passed" ? t("firstRun.test.passed") : at === null ? "–" : words(at)}
              </span>
            </li>
          );
        })}
      </ol>
      {journey.answer !== "" && <blockquote className={css["answer"]}>{journey.answer}</blockquote>}
      {journey.failure !== null && (
        <p className={css["failure"]} role="alert">
          <StateGlyph state="failed" />
          <span>
            {journey.failure.message === "" ? t("firstRun.test.failed") : journey.failure.message}
          </span>
          <Id value={journey.failure.code} label={t("failure.code")} head={40} />
        </p>
      )}
    </>
  );
}

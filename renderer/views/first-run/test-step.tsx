import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import { Button } from "../../components/button.tsx";
import { Field } from "../../components/field.tsx";
import { Link } from "../../components/link.tsx";
import { TextInput } from "../../components/text-input.tsx";
import { sessionPath } from "../../shell/location.ts";
import { usePanel } from "../../stores/panel.tsx";
import { useViewStore } from "../../stores/use-view-store.ts";
import type { ChecklistStore } from "./checklist-store.ts";
import { journeyStore } from "./journey-store.ts";
import { JourneyList } from "./journey-list.tsx";
import css from "./first-run.module.css";

/** Step four: a message is sent, and watched on its way by the pushes about it. */
export function TestStep({ store, onArrived }: { store: ChecklistStore; onArrived: () => void }) {
  const { t } = useTranslation();
  const { bridge, lanes, timer } = usePanel();
  const journeys = useViewStore(
    () => journeyStore({ bridge, lanes, timer, title: t("firstRun.test.title") }),
    [bridge, lanes, timer],
  );
  const { journey, key } = useStore(journeys.store);
  const answering = useStore(store.agents.store, (state) =>
    state.value?.find(({ isDefault }) => isDefault),
  );
  const [text, setText] = useState(() => t("firstRun.test.initial"));
  const arrived = journey?.over === true && journey.failure === null;
  const underWay = journey?.over === false;
  useEffect(() => {
    if (arrived) onArrived();
    // oxlint-disable-next-line react/exhaustive-deps -- told once, when it arrives
  }, [arrived]);
  return (
    <>
      <p>{t("firstRun.test.body", { name: answering?.id ?? "practice" })}</p>
      <form
        className={css["send"]}
        onSubmit={(event) => {
          event.preventDefault();
          if (!underWay && text.trim() !== "") void journeys.actions.send(text);
        }}
      >
        <Field label={t("firstRun.test.label")}>
          <TextInput wide value={text} onChange={setText} />
        </Field>
        <Button type="submit" tone="primary" busy={underWay} disabled={text.trim() === ""}>
          {underWay
            ? t("firstRun.test.sending")
            : t(journey === null ? "firstRun.test.send" : "firstRun.test.again")}
        </Button>
      </form>
      {journey !== null && <JourneyList journey={journey} />}
      {journey !== null && (
        <div className={css["acts"]}>
          {key !== null && <Link href={sessionPath(key)}>{t("firstRun.test.open")}</Link>}
          {journey.failure !== null && <Link href="/agents">{t("firstRun.test.checkAgents")}</Link>}
          <span className={css["muted"]}>{t("firstRun.test.clock")}</span>
        </div>
      )}
    </>
  );
}

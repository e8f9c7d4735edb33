import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import { byteSize } from "../../i18n/format.ts";
import { usePanel } from "../../stores/panel.tsx";
import type { ChecklistStore } from "./checklist-store.ts";
import type { Step, StepState } from "./checklist.ts";

/** What came of each step that is done, in a few words. */
export function useResults(
  store: ChecklistStore,
  states: Record<Step, StepState>,
): Record<Step, string | null> {
  const { t, i18n } = useTranslation();
  const { gateway } = usePanel();
  const free = useStore(gateway.store, (state) => state.status?.freeBytes ?? null);
  const channels = useStore(store.channels.store, (state) => state.value) ?? [];
  const agents = useStore(store.agents.store, (state) => state.value) ?? [];
  const hooks = channels.filter(({ kind }) => kind === "webhook").length;
  const answering = agents.find(({ isDefault }) => isDefault);
  const of = (step: Step, result: string | null) =>
    states[step] === "done"
      ? result
      : states[step] === "skipped"
        ? t("firstRun.state.skipped")
        : null;
  return {
    data: of(
      "data",
      free === null ? null : t("firstRun.data.result", { free: byteSize(free, i18n.language) }),
    ),
    channel: of(
      "channel",
      hooks > 0
        ? t("firstRun.channel.resultHooks", { count: hooks })
        : t("firstRun.channel.resultUsed"),
    ),
    agent: of(
      "agent",
      answering === undefined ? null : t("firstRun.agent.result", { name: answering.id }),
    ),
    test: of("test", t("firstRun.state.done")),
  };
}

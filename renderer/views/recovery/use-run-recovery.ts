import { useTranslation } from "react-i18next";
import { bootLists } from "../../../core/contract/calls-recovery.ts";
import type { SessionKey } from "../../../core/contract/ids.ts";
import { usePanel } from "../../stores/panel.tsx";

/** Recovery by hand: first what it would do, in numbers, then it is done. */
export function useRunRecovery(pull: () => Promise<void>) {
  const { t } = useTranslation();
  const { bridge, ask, toasts } = usePanel();
  return async (keys: SessionKey[] | null): Promise<void> => {
    const scope = keys === null ? {} : { keys };
    const preview = await bridge.call("recovery.preview", scope);
    if (!preview.ok) {
      toasts.actions.raise({
        title: t("recovery.failed"),
        body: preview.error.message,
        tone: "failed",
      });
      return;
    }
    const { lists } = preview.value;
    const facts = bootLists
      .filter((list) => lists[list].count > 0)
      .map((list) => ({ label: t(`recovery.list.${list}`), value: String(lists[list].count) }));
    if (facts.every(({ label }) => label === t("recovery.list.waiting"))) {
      toasts.actions.raise({
        title: t("recovery.nothingToDo"),
        body: t("recovery.nothingToDoBody"),
      });
      return;
    }
    ask.actions.ask({
      title: t("recovery.runTitle"),
      facts,
      names: [...new Set(bootLists.flatMap((list) => lists[list].items.map((item) => item.title)))],
      verb: t("recovery.runVerb"),
      busyVerb: t("recovery.runBusy"),
      tone: "plain",
      run: async () => {
        const reply = await bridge.call("recovery.run", scope);
        await pull();
        return reply;
      },
    });
  };
}

import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { usePanel } from "../stores/panel.tsx";

const AT_MOST_EVERY_MS = 10_000; // ux.md 9

/** Tells who listens how many sessions need a person, when that changes, and not more often than every ten seconds. */
export function useCountAnnouncements(): void {
  const { t } = useTranslation();
  const { gateway, announcer, timer } = usePanel();
  useEffect(() => {
    let told: number | null = null;
    let cancel: (() => void) | null = null;
    const tell = () => {
      cancel = null;
      const count = gateway.store.getState().status?.counts.needsYou;
      if (count === undefined || count === told) return;
      const first = told === null;
      told = count;
      if (first) return; // what is there on arrival is read with the page
      announcer.say(t("rail.needsYou", { count }));
      cancel = timer.after(AT_MOST_EVERY_MS, tell);
    };
    tell();
    const stop = gateway.store.subscribe(() => {
      if (cancel === null) tell();
    });
    return () => {
      stop();
      cancel?.();
    };
  }, [t, gateway, announcer, timer]);
}

import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import { usePanel } from "./panel.tsx";
import { isSafeMode, type Settings } from "./settings.ts";

/** Why nothing can be changed now, in words: no link to the gateway, or a settings file that is wrong. Null: it can. */
export function useLocked(settings: Settings | null): string | null {
  const { t } = useTranslation();
  const { gateway } = usePanel();
  const lost = useStore(gateway.store, (state) => state.link === "lost");
  if (lost) return t("footer.lost");
  return settings !== null && isSafeMode(settings) ? t("settings.safeMode.locked") : null;
}

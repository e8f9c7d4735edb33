import Bot from "lucide-react/icons/bot";
import ListChecks from "lucide-react/icons/list-checks";
import Radio from "lucide-react/icons/radio";
import Settings from "lucide-react/icons/settings-2";
import { useTranslation } from "react-i18next";
import { sectionIds, settingsPath } from "../views/settings/sections.ts";
import { go } from "./location.ts";
import type { PaletteItem } from "./use-palette-items.ts";

/** Places inside the screens, and their dialogs. Only offered to what was typed: they would bury the screens. */
export function usePalettePlaces(text: string): PaletteItem[] {
  const { t } = useTranslation();
  if (text.trim() === "") return [];
  const place = (id: string, icon: PaletteItem["icon"], name: string, path: string) => ({
    id,
    icon,
    name,
    why: null,
    run: () => {
      go(path);
    },
  });
  return [
    ...sectionIds.map((id) =>
      place(
        `settings ${id}`,
        Settings,
        `${t("screen.settings")}: ${t(`settings.section.${id}`)}`,
        settingsPath(id),
      ),
    ),
    place("add webhook", Radio, t("channels.add"), "/channels?add=1"),
    place("add server", Bot, t("agents.add"), "/agents?add=1"),
    place("first steps", ListChecks, t("firstRun.title"), "/welcome"),
  ];
}

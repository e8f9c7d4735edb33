import Moon from "lucide-react/icons/moon";
import PanelLeftClose from "lucide-react/icons/panel-left-close";
import PanelLeftOpen from "lucide-react/icons/panel-left-open";
import Search from "lucide-react/icons/search";
import Sun from "lucide-react/icons/sun";
import SunMoon from "lucide-react/icons/sun-moon";
import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import { IconButton } from "../components/icon-button.tsx";
import { Kbd } from "../components/kbd.tsx";
import { Link } from "../components/link.tsx";
import { Tooltip } from "../components/tooltip.tsx";
import { shownKeys } from "../keys/key-table.ts";
import type { Theme } from "../stores/presentation.ts";
import { usePanel } from "../stores/panel.tsx";
import { usePathname, useParams } from "./location.ts";
import { Mark } from "./mark.tsx";
import css from "./rail.module.css";
import { screens, type Screen } from "./screens.ts";
import { useRoom } from "./use-room.ts";

const groups = ["now", "changed", "machinery", "settings"] as const;
const themeIcons: Record<Theme, typeof Sun> = { system: SunMoon, light: Sun, dark: Moon };

/** Where everything is. A badge counts what needs a person, nothing else. */
export function Rail({ onPalette }: { onPalette: () => void }) {
  const { t } = useTranslation();
  const { presentation } = usePanel();
  const wished = useStore(presentation.store, (state) => state.railFolded);
  // In a narrow window an open inspector needs the room more.
  const room = useRoom();
  const crowded = useParams().has("open") ? room !== "wide" : room === "small";
  const folded = wished || crowded;
  const theme = useStore(presentation.store, (state) => state.theme);
  const ThemeIcon = themeIcons[theme];
  const shortcut = shownKeys("app.palette");
  return (
    <nav
      className={css["rail"]}
      aria-label={t("region.rail")}
      data-folded={folded || undefined}
      data-region="rail"
    >
      <div className={css["brand"]}>
        <Mark />
        <span className={css["name"]}>{t("app")}</span>
      </div>
      <Tooltip text={t("command.app.palette")} keys="app.palette" side="right">
        <button
          type="button"
          className={css["search"]}
          aria-label={t("command.app.palette")}
          onClick={onPalette}
        >
          <Search aria-hidden />
          <span className={css["words"]}>{t("rail.search")}</span>
          {!folded && shortcut !== undefined && <Kbd keys={shortcut} />}
        </button>
      </Tooltip>
      {groups.map((group) => {
        const members = screens.filter((screen) => screen.group === group);
        if (members.length === 0) return null;
        return (
          <ul key={group} className={css["group"]} data-group={group}>
            {members.map((screen) => (
              <RailLink key={screen.id} screen={screen} folded={folded} />
            ))}
          </ul>
        );
      })}
      <div className={css["foot"]}>
        <IconButton
          disabled={crowded}
          icon={folded ? PanelLeftOpen : PanelLeftClose}
          label={t(folded ? "rail.unfold" : "rail.fold")}
          keys="app.rail"
          side="right"
          onClick={() => {
            presentation.actions.set({ railFolded: !wished });
          }}
        />
        <IconButton
          icon={ThemeIcon}
          label={t("rail.theme", { theme: t(`theme.${theme}`) })}
          side="right"
          onClick={presentation.actions.cycleTheme}
        />
      </div>
    </nav>
  );
}

function RailLink({ screen, folded }: { screen: Screen; folded: boolean }) {
  const { t } = useTranslation();
  const { gateway } = usePanel();
  const path = usePathname();
  const needsYou = useStore(gateway.store, (state) => state.status?.counts.needsYou ?? 0);
  const current =
    screen.path === "/" ? path === "/" : path === screen.path || path.startsWith(`${screen.path}/`);
  const badge = screen.id === "sessions" && needsYou > 0 ? needsYou : null;
  const words = t(`screen.${screen.id}`);
  const Icon = screen.icon;
  const link = (
    <Link href={screen.path} quiet className={css["link"]} current={current} label={words}>
      <Icon size="1em" aria-hidden />
      <span className={css["words"]}>{words}</span>
      {badge !== null && (
        <span className={css["badge"]} title={t("rail.needsYou", { count: badge })}>
          {badge > 99 ? "99+" : badge}
        </span>
      )}
    </Link>
  );
  return (
    <li>
      {folded ? (
        <Tooltip text={words} keys={`go.${screen.id}`} side="right">
          {link}
        </Tooltip>
      ) : (
        link
      )}
    </li>
  );
}

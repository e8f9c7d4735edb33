import { CSPProvider } from "@base-ui/react/csp-provider";
import { Suspense, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { AskDialog } from "../components/ask-dialog.tsx";
import { TooltipProvider } from "../components/tooltip.tsx";
import { useKeyHandler } from "../keys/use-key-handler.ts";
import { SessionPage } from "../views/session/session-page.tsx";
import { Announcements } from "./announcements.tsx";
import css from "./app.module.css";
import { Footer } from "./footer.tsx";
import { Inspector } from "./inspector.tsx";
import { usePathname } from "./location.ts";
import { NotFound } from "./not-found.tsx";
import { NoticesPanel } from "./notices-panel.tsx";
import { Palette } from "./palette.tsx";
import { Rail } from "./rail.tsx";
import { focusRegion } from "./regions.ts";
import { placeOf, welcomeView as Welcome, type Place } from "./screens.ts";
import { ShortcutsSheet } from "./shortcuts-sheet.tsx";
import { Toasts } from "./toasts.tsx";
import { useAppCommands } from "./use-app-commands.ts";
import { useCountAnnouncements } from "./use-count-announcements.ts";
import { ViewFrame } from "./view-frame.tsx";

/** The whole panel: the frame, the screen the address names, and what floats above them. */
export function App() {
  const { t } = useTranslation();
  const path = usePathname();
  const place = placeOf(path);
  const [palette, setPalette] = useState(false);
  const [shortcuts, setShortcuts] = useState(false);
  useKeyHandler();
  useAppCommands({
    openPalette: () => {
      setPalette(true);
    },
    openShortcuts: () => {
      setShortcuts(true);
    },
  });
  useFocusOnArrival(path);
  useCountAnnouncements();
  return (
    <CSPProvider disableStyleElements>
      <TooltipProvider>
        <a className={css["skip"]} href="#content">
          {t("region.skip")}
        </a>
        <div className={css["app"]}>
          <div className={css["middle"]}>
            <Rail
              onPalette={() => {
                setPalette(true);
              }}
            />
            <Suspense fallback={<ViewFrame title="">{null}</ViewFrame>}>
              <PlaceView place={place} path={path} />
            </Suspense>
            {place.kind !== "session" && <Inspector />}
          </div>
          <Footer />
        </div>
        <NoticesPanel />
        <Toasts />
        <Palette
          open={palette}
          onClose={() => {
            setPalette(false);
          }}
        />
        <ShortcutsSheet
          open={shortcuts}
          onClose={() => {
            setShortcuts(false);
          }}
        />
        <AskDialog />
        <Announcements />
      </TooltipProvider>
    </CSPProvider>
  );
}

function PlaceView({ place, path }: { place: Place; path: string }) {
  switch (place.kind) {
    case "screen": {
      const { view: View } = place.screen;
      return <View />;
    }
    case "session":
      return <SessionPage key={place.key} sessionKey={place.key} />;
    case "welcome":
      return <Welcome />;
    case "nowhere":
      return <NotFound path={path} />;
  }
}

/** After going somewhere the focus is on the new content, so that keys and screen readers are there too. */
function useFocusOnArrival(path: string): void {
  const previous = useRef<string | null>(null);
  useEffect(() => {
    const arrived = previous.current !== path;
    previous.current = path;
    if (!arrived) return;
    const timer = setTimeout(() => {
      const active = document.activeElement;
      const main = document.querySelector<HTMLElement>("[data-region=main]");
      const floating = document.querySelector("[data-overlay]") !== null;
      const inRail = active?.closest("[data-region=rail]") != null;
      if (main === null || floating || main.contains(active) || inRail) return;
      if (active === document.body || active === null) focusRegion(main, true);
    });
    return () => {
      clearTimeout(timer);
    };
  }, [path]);
}

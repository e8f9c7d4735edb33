import type { MenuItemConstructorOptions } from "electron";

/**
 * The keys that belong to the system: edit, zoom, window. The panel's own keys are the panel's (ux.md 4), so
 * there is no reload here: it would take `mod+R` away from it.
 */
export function menuTemplate(platform: NodeJS.Platform): MenuItemConstructorOptions[] {
  const zoom: MenuItemConstructorOptions = {
    label: "View",
    submenu: [
      { role: "resetZoom" },
      { role: "zoomIn" },
      { role: "zoomOut" },
      { role: "togglefullscreen" },
    ],
  };
  const shared: MenuItemConstructorOptions[] = [{ role: "editMenu" }, zoom, { role: "windowMenu" }];
  return platform === "darwin" ? [{ role: "appMenu" }, ...shared] : shared;
}

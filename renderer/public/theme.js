/* Runs before the first paint, so that no wrong theme flashes up. `stores/presentation.ts` writes what this reads. */
(() => {
  let kept = {};
  try {
    kept = JSON.parse(localStorage.getItem("signalbox.presentation") ?? "{}") ?? {};
  } catch {
    /* no storage, or damaged: the system's choice */
  }
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const theme =
    kept.theme === "light" || kept.theme === "dark" ? kept.theme : dark ? "dark" : "light";
  const root = document.documentElement;
  root.dataset.theme = theme;
  root.dataset.density = kept.density === "comfortable" ? "comfortable" : "compact";
  if (kept.language === "de") root.lang = "de";
})();

/* Runs before the first paint, so that no wrong theme flashes up. It looks for what `stores/presentation.ts` wrote. */
(() => {
  let kept = "";
  try {
    kept = localStorage.getItem("signalbox.presentation") ?? "";
  } catch {
    /* no storage: the system's choice */
  }
  const wants = (name, value) => kept.includes(`"${name}":"${value}"`);
  const dark =
    wants("theme", "dark") ||
    (!wants("theme", "light") && matchMedia("(prefers-color-scheme: dark)").matches);
  const root = document.documentElement;
  root.dataset.theme = dark ? "dark" : "light";
  root.dataset.density = wants("density", "comfortable") ? "comfortable" : "compact";
  if (wants("language", "de")) root.lang = "de";
})();

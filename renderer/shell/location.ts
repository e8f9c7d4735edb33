import { navigate, usePathname, useSearch } from "wouter/use-browser-location";
import type { SessionKey } from "../../core/contract/ids.ts";
import { useMemo } from "react";

/** Goes to an in-app address. `replace` keeps Back where it was: for filters, selection and the like. */
export function go(to: string, options: { replace?: boolean } = {}): void {
  if (to === window.location.pathname + window.location.search) return;
  navigate(to, options);
}

/** The address of a session's own page. */
export const sessionPath = (key: SessionKey): string => `/sessions/${encodeURIComponent(key)}`;

/** Changes some parameters of the present address; null takes one away. */
export function withParams(
  address: string,
  changes: Record<string, string | readonly string[] | null>,
): string {
  const [path = "/", search = ""] = address.split("?", 2);
  const params = new URLSearchParams(search);
  for (const [name, value] of Object.entries(changes)) {
    params.delete(name);
    if (value === null) continue;
    for (const one of typeof value === "string" ? [value] : value) params.append(name, one);
  }
  const text = params.toString().replaceAll("%3A", ":").replaceAll("%2C", ","); // readable keys and filters
  return text === "" ? path : `${path}?${text}`;
}

/** Changes parameters of the address on screen. */
export function setParams(
  changes: Record<string, string | readonly string[] | null>,
  options: { replace?: boolean } = { replace: true },
): void {
  go(withParams(window.location.pathname + window.location.search, changes), options);
}

/** Opens a session in the inspector beside the present view. `pin` keeps it while the list moves on. */
export function openInspector(key: SessionKey, pin = true): void {
  setParams({ open: key, pin: pin ? "1" : null });
}

export function closeInspector(): void {
  setParams({ open: null, pin: null, tab: null });
}

/** The parameters of the address on screen. */
export function useParams(): URLSearchParams {
  const search = useSearch();
  return useMemo(() => new URLSearchParams(search), [search]);
}

export { usePathname };

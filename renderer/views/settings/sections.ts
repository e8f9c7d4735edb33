/** The sections of the settings, in order. The address names one: `/settings?section=logs`. */
export const sectionIds = [
  "general",
  "sessions",
  "deliveries",
  "data",
  "logs",
  "security",
  "about",
] as const;
export type SectionId = (typeof sectionIds)[number];

export const settingsPath = (section: SectionId): string =>
  section === "general" ? "/settings" : `/settings?section=${section}`;

/** The section an address names; anything else is the first. */
export const sectionOf = (params: URLSearchParams): SectionId =>
  sectionIds.find((id) => id === params.get("section")) ?? "general";

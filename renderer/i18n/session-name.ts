import type { TFunction } from "i18next";
import type { SessionRow } from "../../core/contract/domain.ts";

/** What a session is called: its title, else that it has none yet. */
export function sessionName(row: Pick<SessionRow, "title">, t: TFunction): string {
  return row.title.trim() === "" ? t("sessions.untitled") : row.title;
}

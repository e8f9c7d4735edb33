import { useRef } from "react";
import type { SessionRow } from "../../../core/contract/domain.ts";
import type { SessionKey } from "../../../core/contract/ids.ts";
import { usePanel } from "../../stores/panel.tsx";

const PAGE = 500;

/** Selects everything the filter matches, also what was never scrolled to. */
export function useSelectAll() {
  const { bridge, selection } = usePanel();
  const rows = useRef(new Map<SessionKey, SessionRow>());
  const selectAll = async (filter: string, sort: string) => {
    rows.current.clear();
    for (let offset = 0; ; offset += PAGE) {
      const reply = await bridge.call("sessions.list", { filter, sort, limit: PAGE, offset });
      if (!reply.ok) return;
      for (const row of reply.value.sessions) rows.current.set(row.key, row);
      if (reply.value.sessions.length < PAGE) break;
    }
    selection.actions.select(rows.current.keys());
  };
  return {
    selectAll: (filter: string, sort: string) => void selectAll(filter, sort),
    /** A row that was selected without ever being on screen. */
    picked: (key: SessionKey) => rows.current.get(key),
  };
}

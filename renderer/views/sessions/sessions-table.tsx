import { useEffect, useMemo, useRef } from "react";
import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import type { SessionRow } from "../../../core/contract/domain.ts";
import { asSessionKey } from "../../../core/contract/ids.ts";
import { asMenuItems, useSessionCommands } from "../../commands/session-commands.ts";
import { DataTable } from "../../components/data-table.tsx";
import { sessionName } from "../../i18n/session-name.ts";
import { openInspector, setParams } from "../../shell/location.ts";
import { remember } from "../../shell/recent.ts";
import { focusRegionSoon } from "../../shell/regions.ts";
import { usePanel } from "../../stores/panel.tsx";
import { indexOfKey, keyAt } from "../../stores/sessions-view.ts";
import { NoSessions } from "./no-sessions.tsx";
import { sessionColumns } from "./session-columns.tsx";
import { DEFAULT_SORT, type SessionsAddress } from "./sessions-address.ts";

const PLACEHOLDERS = 24;
const FOLLOW_MS = 120; // the inspector follows the focus once it rests

/** The rows. By itself, so that moving through them draws nothing else anew. */
export function SessionsTable({ address, onNew }: { address: SessionsAddress; onNew: () => void }) {
  const { t } = useTranslation();
  const { sessions, selection, gateway } = usePanel();
  const state = useStore(sessions.store);
  const { selected, focused } = useStore(selection.store);
  const stale = useStore(gateway.store, (one) => one.stale);
  const columns = useMemo(() => sessionColumns(t), [t]);
  const commandsFor = useSessionCommands();
  const follow = useRef<ReturnType<typeof setTimeout>>(undefined);

  // While it is not pinned, the inspector follows the row with the focus, once that rests.
  const onFocus = (key: string | null, byHand: boolean) => {
    selection.actions.focus(key === null ? null : asSessionKey(key));
    if (!byHand) return;
    clearTimeout(follow.current);
    if (key === null || address.open === null || address.pinned) return;
    follow.current = setTimeout(() => {
      setParams({ open: key });
    }, FOLLOW_MS);
  };
  useEffect(
    () => () => {
      clearTimeout(follow.current);
      sessions.actions.hold(false);
    },
    [sessions],
  );

  return (
    <DataTable
      label={t("sessions.table")}
      columns={columns}
      rowCount={state.total ?? PLACEHOLDERS}
      rowAt={(index) => {
        const key = keyAt(state, index);
        return key === undefined ? undefined : state.rows.get(key);
      }}
      keyOf={keyOfRow}
      indexOf={(key) => indexOfKey(state, asSessionKey(key))}
      rowLabel={(row) => sessionName(row, t)}
      sort={address.sort}
      onSort={(sort) => {
        setParams({ sort: sort === DEFAULT_SORT ? null : sort });
      }}
      onRange={sessions.actions.want}
      focusedKey={focused}
      onFocus={onFocus}
      selection={selected}
      onSelection={(keys) => {
        selection.actions.select([...keys].map(asSessionKey));
      }}
      onOpen={(row) => {
        clearTimeout(follow.current);
        remember(row);
        openInspector(row.key);
        focusRegionSoon("inspector");
      }}
      onPeek={(row) => {
        clearTimeout(follow.current);
        const shown = address.open === row.key && !address.pinned;
        setParams({ open: shown ? null : row.key, pin: null });
      }}
      menuFor={(row) => asMenuItems(commandsFor([row]))}
      onHold={sessions.actions.hold}
      stale={stale}
      empty={
        <NoSessions
          segment={address.segment}
          filter={address.filter}
          all={state.counts?.all ?? 0}
          onClear={() => {
            setParams({ filter: null, segment: null });
          }}
          onNew={onNew}
        />
      }
    />
  );
}

const keyOfRow = (row: SessionRow): string => row.key;

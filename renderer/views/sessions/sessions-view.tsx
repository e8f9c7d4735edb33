import MessageSquarePlus from "lucide-react/icons/message-square-plus";
import { useCallback, useEffect, useMemo, useRef } from "react";
import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import type { SessionRow } from "../../../core/contract/domain.ts";
import { asSessionKey, type SessionKey } from "../../../core/contract/ids.ts";
import { asHandlers, asMenuItems, useSessionCommands } from "../../commands/session-commands.ts";
import { Button } from "../../components/button.tsx";
import { DataTable } from "../../components/data-table.tsx";
import { Failure } from "../../components/failure.tsx";
import { Segments } from "../../components/segments.tsx";
import { sessionName } from "../../i18n/session-name.ts";
import { useCommands } from "../../keys/use-commands.ts";
import { openInspector, setParams, useParams } from "../../shell/location.ts";
import { remember } from "../../shell/recent.ts";
import { focusRegion } from "../../shell/regions.ts";
import { useNewSession } from "../../shell/use-new-session.ts";
import { ViewFrame } from "../../shell/view-frame.tsx";
import { usePanel } from "../../stores/panel.tsx";
import { indexOfKey, keyAt } from "../../stores/sessions-view.ts";
import { BulkBar } from "./bulk-bar.tsx";
import { FilterField } from "./filter-field.tsx";
import { ListCount } from "./list-count.tsx";
import { NoSessions } from "./no-sessions.tsx";
import { sessionColumns } from "./session-columns.tsx";
import {
  DEFAULT_SORT,
  readAddress,
  segments,
  wholeFilter,
  type Segment,
} from "./sessions-address.ts";
import { useSelectionInAddress } from "./use-selection-in-address.ts";
import { useSelectAll } from "./use-select-all.ts";

const PLACEHOLDERS = 24;
const FOLLOW_MS = 120; // the inspector follows the focus once it rests

/** All conversations: found, watched, and acted on by one or by many. */
export function SessionsView() {
  const { t } = useTranslation();
  const { sessions, selection, gateway, notices } = usePanel();
  const params = useParams();
  const address = useMemo(() => readAddress(params), [params]);
  const state = useStore(sessions.store);
  const { selected, focused } = useStore(selection.store);
  const stale = useStore(gateway.store, (one) => one.stale);
  const content = useRef<HTMLDivElement>(null);
  const columns = useMemo(() => sessionColumns(t), [t]);
  const startSession = useNewSession();
  const commandsFor = useSessionCommands();
  useSelectionInAddress(address);
  const { selectAll, picked } = useSelectAll();

  const filter = wholeFilter(address);
  const { sort } = address;
  useEffect(() => {
    sessions.actions.setQuery({ filter, sort });
  }, [sessions, filter, sort]);

  const rowsOf = (keys: Iterable<SessionKey>): SessionRow[] =>
    [...keys].flatMap((key) => state.rows.get(key) ?? picked(key) ?? []);
  const targets = () => rowsOf(selected.size > 0 ? selected : focused === null ? [] : [focused]);
  const toRows = () => {
    const main = content.current?.closest<HTMLElement>("[data-region]");
    if (main) focusRegion(main);
  };
  const open = (row: SessionRow) => {
    remember(row);
    openInspector(row.key);
    requestAnimationFrame(() => {
      const inspector = document.querySelector<HTMLElement>("[data-region=inspector]");
      if (inspector !== null) focusRegion(inspector);
    });
  };
  const peek = (row: SessionRow) => {
    const shown = address.open === row.key && !address.pinned;
    setParams({ open: shown ? null : row.key, pin: null });
  };
  const onFilter = useCallback((text: string) => {
    setParams({ filter: text === "" ? null : text });
  }, []);

  useCommands(
    {
      ...asHandlers(() => commandsFor(targets())),
      "row.selectAll": () => {
        selectAll(filter, sort);
        return true;
      },
      "session.new": () => {
        startSession();
        return true;
      },
    },
    content,
  );
  useCommands({
    "app.back": () => {
      if (notices.store.getState().open || address.open !== null) return false;
      if (address.filter !== "") onFilter("");
      else if (selected.size > 0) selection.actions.clear();
      else return false;
      return true;
    },
  });

  // While it is not pinned, the inspector follows the row with the focus, once that rests.
  const follow = useRef<ReturnType<typeof setTimeout>>(undefined);
  const onFocus = (key: string | null, byHand: boolean) => {
    selection.actions.focus(key === null ? null : asSessionKey(key));
    clearTimeout(follow.current);
    if (!byHand || key === null || address.open === null || address.pinned) return;
    follow.current = setTimeout(() => {
      setParams({ open: key });
    }, FOLLOW_MS);
  };

  useEffect(
    () => () => {
      sessions.actions.hold(false);
    },
    [sessions],
  );
  useFocusFirstRow(content, state.total !== null);

  const { total, counts } = state;
  const loading = total === null;
  const segmentCounts: Record<Segment, number | undefined> = {
    "needs-me": counts?.needsMe,
    running: counts?.running,
    suspended: counts?.suspended,
    all: counts?.all,
  };
  return (
    <ViewFrame
      title={t("screen.sessions")}
      live
      scroll="none"
      filter={<FilterField value={address.filter} onChange={onFilter} onLeave={toRows} />}
      actions={
        <Button icon={MessageSquarePlus} keys="session.new" onClick={startSession}>
          {t("sessions.new")}
        </Button>
      }
      segments={
        <>
          {selected.size > 0 ? (
            <BulkBar rows={rowsOf(selected)} onClear={selection.actions.clear} />
          ) : (
            <Segments
              label={t("sessions.segment.label")}
              value={address.segment}
              options={segments.map((id) => ({
                id,
                label: t(`sessions.segment.${id === "needs-me" ? "needsMe" : id}`),
                count: segmentCounts[id] ?? null,
              }))}
              onChange={(segment) => {
                setParams({ segment: segment === "all" ? null : segment });
              }}
            />
          )}
          <ListCount />
        </>
      }
    >
      <div ref={content} className="fill">
        {loading && state.error !== null ? (
          <Failure error={state.error} onRetry={() => void sessions.actions.pull()} />
        ) : (
          <DataTable
            label={t("sessions.table")}
            columns={columns}
            rowCount={total ?? PLACEHOLDERS}
            rowAt={(index) => {
              const key = keyAt(state, index);
              return key === undefined ? undefined : state.rows.get(key);
            }}
            keyOf={keyOfRow}
            indexOf={(key) => indexOfKey(state, asSessionKey(key))}
            rowLabel={(row) => sessionName(row, t)}
            sort={sort}
            onSort={(next) => {
              setParams({ sort: next === DEFAULT_SORT ? null : next });
            }}
            onRange={sessions.actions.want}
            focusedKey={focused}
            onFocus={onFocus}
            selection={selected}
            onSelection={(keys) => {
              selection.actions.select([...keys].map(asSessionKey));
            }}
            onOpen={open}
            onPeek={peek}
            menuFor={(row) => asMenuItems(commandsFor([row]))}
            onHold={sessions.actions.hold}
            stale={stale}
            empty={
              <NoSessions
                segment={address.segment}
                filter={address.filter}
                all={counts?.all ?? 0}
                onClear={() => {
                  setParams({ filter: null, segment: null });
                }}
                onNew={startSession}
              />
            }
          />
        )}
      </div>
    </ViewFrame>
  );
}

const keyOfRow = (row: SessionRow): string => row.key;

/** Once rows are there, keys should reach them: unless the operator is somewhere on purpose. */
function useFocusFirstRow(content: { current: HTMLElement | null }, ready: boolean): void {
  useEffect(() => {
    if (!ready) return;
    const timer = setTimeout(() => {
      const main = content.current?.closest<HTMLElement>("[data-region]");
      const active = document.activeElement;
      const free = active === document.body || active === main;
      if (free && main && document.querySelector("[data-overlay]") === null)
        focusRegion(main, true);
    });
    return () => {
      clearTimeout(timer);
    };
  }, [content, ready]);
}

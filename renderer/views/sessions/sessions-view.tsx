import MessageSquarePlus from "lucide-react/icons/message-square-plus";
import { useCallback, useEffect, useMemo, useRef } from "react";
import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import type { SessionRow } from "../../../core/contract/domain.ts";
import type { SessionKey } from "../../../core/contract/ids.ts";
import { asHandlers, useSessionCommands } from "../../commands/session-commands.ts";
import { Button } from "../../components/button.tsx";
import { Failure } from "../../components/failure.tsx";
import { useCommands } from "../../keys/use-commands.ts";
import { setParams, useParams } from "../../shell/location.ts";
import { focusRegion } from "../../shell/regions.ts";
import { useNewSession } from "../../shell/use-new-session.ts";
import { ViewFrame } from "../../shell/view-frame.tsx";
import { usePanel } from "../../stores/panel.tsx";
import { BulkBar } from "./bulk-bar.tsx";
import { FilterField } from "./filter-field.tsx";
import { ListCount } from "./list-count.tsx";
import { SegmentBar } from "./segment-bar.tsx";
import { readAddress, wholeFilter } from "./sessions-address.ts";
import { SessionsTable } from "./sessions-table.tsx";
import { useSelectionInAddress } from "./use-selection-in-address.ts";
import { useSelectAll } from "./use-select-all.ts";

/** All conversations: found, watched, and acted on by one or by many. */
export function SessionsView() {
  const { t } = useTranslation();
  const { sessions, selection, notices } = usePanel();
  const params = useParams();
  const address = useMemo(() => readAddress(params), [params]);
  const loaded = useStore(sessions.store, (state) => state.total !== null);
  const error = useStore(sessions.store, (state) => state.error);
  const selected = useStore(selection.store, (state) => state.selected);
  const content = useRef<HTMLDivElement>(null);
  const startSession = useNewSession();
  const commandsFor = useSessionCommands();
  useSelectionInAddress(address);
  const { selectAll, picked } = useSelectAll();

  const filter = wholeFilter(address);
  const { sort } = address;
  useEffect(() => {
    sessions.actions.setQuery({ filter, sort });
  }, [sessions, filter, sort]);

  const rowsOf = (keys: Iterable<SessionKey>): SessionRow[] => {
    const { rows } = sessions.store.getState();
    return [...keys].flatMap((key) => rows.get(key) ?? picked(key) ?? []);
  };
  const targets = () => {
    const { focused } = selection.store.getState();
    return rowsOf(selected.size > 0 ? selected : focused === null ? [] : [focused]);
  };
  const toRows = () => {
    const main = content.current?.closest<HTMLElement>("[data-region]");
    if (main) focusRegion(main);
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
  useFocusFirstRow(content, loaded);

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
            <SegmentBar value={address.segment} />
          )}
          <ListCount />
        </>
      }
    >
      <div ref={content} className="fill">
        {!loaded && error !== null ? (
          <Failure error={error} onRetry={() => void sessions.actions.pull()} />
        ) : (
          <SessionsTable address={address} onNew={startSession} />
        )}
      </div>
    </ViewFrame>
  );
}

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

import Plus from "lucide-react/icons/plus";
import { useMemo, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import { Button } from "../../components/button.tsx";
import { DataTable } from "../../components/data-table.tsx";
import { Empty } from "../../components/empty.tsx";
import { Failure } from "../../components/failure.tsx";
import { Panel } from "../../components/panel.tsx";
import { ShortTable } from "../../components/short-table.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { useCommands } from "../../keys/use-commands.ts";
import { StaleBadge } from "../../components/stale-badge.tsx";
import { go, setParams, useParams } from "../../shell/location.ts";
import { ViewFrame } from "../../shell/view-frame.tsx";
import { channelsStore } from "../../stores/channels.ts";
import { usePanel } from "../../stores/panel.tsx";
import { settingsStore } from "../../stores/settings.ts";
import { useLocked } from "../../stores/use-locked.ts";
import { useKeptStore } from "../../stores/use-view-store.ts";
import { channelColumns, sessionsOf } from "./channel-columns.tsx";
import { ChannelDetail } from "./channel-detail.tsx";
import { channelRows, hookNameOf, storedHooks } from "./channel-rows.ts";
import { HookDialog } from "./hook-dialog.tsx";
import { HookShown } from "./hook-shown.tsx";
import { Simulator } from "./simulator.tsx";
import { useChannelActs } from "./use-channel-acts.ts";
import css from "./channels.module.css";

/** The channels with what each is doing, webhooks to add and edit, and the simulator. */
export function ChannelsView() {
  const { t } = useTranslation();
  const { bridge, gateway } = usePanel();
  const channels = useKeptStore("channels", () => channelsStore(bridge, gateway));
  const settings = useKeptStore("settings", () => settingsStore(bridge));
  const { value: running, error } = useStore(channels.store);
  const { value: read } = useStore(settings.store);
  const stale = useStore(gateway.store, (state) => state.stale);
  const params = useParams();
  const [focused, setFocused] = useState<string | null>(null);
  const [trying, setTrying] = useState<string | null>(null);
  const simulator = useRef<HTMLDivElement>(null);

  const columns = useMemo(() => channelColumns(t), [t]);
  const rows = useMemo(
    () => (running === null ? null : channelRows(running, read?.value)),
    [running, read],
  );
  const hooks = useMemo(() => storedHooks(read?.value), [read]);
  const locked = useLocked(read);
  const acts = useChannelActs(settings, locked, {
    edit: (hook) => {
      setParams({ edit: hook });
    },
    tryIt: setTrying,
    simulate: () => {
      simulator.current?.querySelector<HTMLElement>("textarea")?.focus();
    },
  });

  const editing = params.get("edit");
  const adding = params.has("add");
  const row = rows?.find((one) => one.id === focused) ?? rows?.find((one) => one.state === "down");
  const hook = row === undefined ? null : hookNameOf(row.id);
  const openDialog = adding || (editing !== null && hooks[editing] !== undefined);
  useCommands({
    "app.refresh": () => {
      void channels.actions.pull();
      void settings.actions.pull();
      return false; // the app pulls the rest
    },
  });
  return (
    <ViewFrame
      wide
      title={t("screen.channels")}
      actions={
        <>
          <StaleBadge />
          <Button
            icon={Plus}
            why={locked}
            onClick={() => {
              setParams({ add: "1" });
            }}
          >
            {t("channels.add")}
          </Button>
        </>
      }
    >
      <Panel flush>
        {error !== null && (
          <Failure error={error} onRetry={() => void channels.actions.pull()} compact />
        )}
        {rows === null && error === null && (
          <div className={css["pending"]}>
            <Skeleton width={64} lines={3} />
          </div>
        )}
        {rows !== null && (
          <ShortTable rows={rows.length}>
            <DataTable
              label={t("channels.label")}
              columns={columns}
              rowCount={rows.length}
              rowAt={(index) => rows[index]}
              keyOf={(one) => one.id}
              indexOf={(key) => rows.findIndex((one) => one.id === key)}
              rowLabel={(one) => one.id}
              focusedKey={focused}
              onFocus={setFocused}
              onOpen={(one) => {
                const name = hookNameOf(one.id);
                if (name === null) go(sessionsOf(one.id));
                else setParams({ edit: name });
              }}
              onPeek={(one) => {
                setFocused(one.id);
              }}
              menuFor={acts.menuFor}
              stale={stale}
              empty={<Empty title={t("channels.empty")} />}
            />
          </ShortTable>
        )}
      </Panel>
      {row !== undefined && (
        <ChannelDetail
          row={row}
          hook={hook === null ? null : (hooks[hook] ?? null)}
          actions={
            hook !== null && (
              <>
                <Button
                  size="small"
                  onClick={() => {
                    setTrying(hook);
                  }}
                >
                  {t("channels.menu.tryIt")}
                </Button>
                <Button
                  size="small"
                  why={locked}
                  onClick={() => {
                    setParams({ edit: hook });
                  }}
                >
                  {t("channels.menu.edit")}
                </Button>
              </>
            )
          }
        />
      )}
      <div ref={simulator}>
        <Simulator
          on={
            rows === null || rows.some((one) => one.kind === "simulator" && one.state !== "stopped")
          }
        />
      </div>
      {openDialog && (
        <HookDialog
          name={adding ? null : editing}
          hooks={hooks}
          settings={settings}
          onSaved={(name) => {
            setFocused(`webhook:${name}`);
          }}
          onClose={() => {
            setParams({ add: null, edit: null });
          }}
        />
      )}
      {trying !== null && (
        <HookShown
          name={trying}
          secret={null}
          onClose={() => {
            setTrying(null);
          }}
        />
      )}
    </ViewFrame>
  );
}

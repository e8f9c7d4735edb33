import Plus from "lucide-react/icons/plus";
import Radar from "lucide-react/icons/radar";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import { Button } from "../../components/button.tsx";
import { DataTable } from "../../components/data-table.tsx";
import { Empty } from "../../components/empty.tsx";
import { Failure } from "../../components/failure.tsx";
import { Panel } from "../../components/panel.tsx";
import { ShortTable } from "../../components/short-table.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { StaleBadge } from "../../components/stale-badge.tsx";
import { useCommands } from "../../keys/use-commands.ts";
import { setParams, useParams } from "../../shell/location.ts";
import { ViewFrame } from "../../shell/view-frame.tsx";
import { agentsStore, EVERY_AGENT } from "../../stores/agents.ts";
import { usePanel } from "../../stores/panel.tsx";
import { settingsStore } from "../../stores/settings.ts";
import { useLocked } from "../../stores/use-locked.ts";
import { useKeptStore } from "../../stores/use-view-store.ts";
import { agentColumns } from "./agent-columns.tsx";
import { AgentDetail } from "./agent-detail.tsx";
import { AgentDialog } from "./agent-dialog.tsx";
import { DefaultAgent } from "./default-agent.tsx";
import { useAgentActs } from "./use-agent-acts.ts";
import css from "./agents.module.css";

/** The agents: where each came from, whether it answers, which one is the default. */
export function AgentsView() {
  const { t } = useTranslation();
  const { bridge, gateway } = usePanel();
  const agents = useKeptStore("agents", () => agentsStore(bridge));
  const settings = useKeptStore("settings", () => settingsStore(bridge));
  const { value: rows, error } = useStore(agents.store);
  const probing = useStore(agents.probing, (state) => state.ids);
  const read = useStore(settings.store, (state) => state.value);
  const stale = useStore(gateway.store, (state) => state.stale);
  const params = useParams();
  const [focused, setFocused] = useState<string | null>(null);

  const columns = useMemo(
    () => agentColumns(t, (id) => probing.has(id) || probing.has(EVERY_AGENT)),
    [t, probing],
  );
  const edit = (id: string) => {
    setParams({ edit: id });
  };
  const locked = useLocked(read);
  const acts = useAgentActs({ agents, settings, locked, edit });

  const editing = rows?.find((row) => row.id === params.get("edit") && row.origin !== "built-in");
  const row =
    rows?.find((one) => one.id === focused) ??
    rows?.find((one) => one.probe.state === "failed") ??
    rows?.find((one) => one.isDefault);
  const everyone = probing.has(EVERY_AGENT);
  useCommands({
    "app.refresh": () => {
      void agents.actions.pull();
      void settings.actions.pull();
      return false; // the app pulls the rest
    },
  });
  return (
    <ViewFrame
      wide
      title={t("screen.agents")}
      actions={
        <>
          <StaleBadge />
          <Button icon={Radar} busy={everyone} onClick={() => void agents.actions.probe(null)}>
            {everyone ? t("agents.probing") : t("agents.probeAll")}
          </Button>
          <Button
            icon={Plus}
            why={locked}
            onClick={() => {
              setParams({ add: "1" });
            }}
          >
            {t("agents.add")}
          </Button>
        </>
      }
    >
      <DefaultAgent
        rows={rows ?? []}
        chosen={read?.value}
        locked={locked !== null}
        onChange={(id) => void acts.setDefault(id)}
      />
      <Panel flush>
        {error !== null && (
          <Failure error={error} onRetry={() => void agents.actions.pull()} compact />
        )}
        {rows === null && error === null && (
          <div className={css["pending"]}>
            <Skeleton width={64} lines={3} />
          </div>
        )}
        {rows !== null && (
          <ShortTable rows={rows.length}>
            <DataTable
              label={t("agents.label")}
              columns={columns}
              rowCount={rows.length}
              rowAt={(index) => rows[index]}
              keyOf={(one) => one.id}
              indexOf={(key) => rows.findIndex((one) => one.id === key)}
              rowLabel={(one) => one.id}
              focusedKey={focused}
              onFocus={setFocused}
              onOpen={(one) => {
                if (one.origin !== "built-in") edit(one.id);
              }}
              onPeek={(one) => {
                setFocused(one.id);
              }}
              menuFor={acts.menuFor}
              stale={stale}
              empty={<Empty title={t("agents.empty")} />}
            />
          </ShortTable>
        )}
      </Panel>
      {row !== undefined && (
        <AgentDetail
          row={row}
          actions={
            <>
              <Button
                size="small"
                busy={probing.has(row.id) || everyone}
                onClick={() => void agents.actions.probe(row.id)}
              >
                {probing.has(row.id) || everyone ? t("agents.probing") : t("agents.menu.probe")}
              </Button>
              {!row.isDefault && (
                <Button size="small" why={locked} onClick={() => void acts.setDefault(row.id)}>
                  {t("agents.menu.makeDefault")}
                </Button>
              )}
              {row.origin !== "built-in" && (
                <Button
                  size="small"
                  why={locked}
                  onClick={() => {
                    edit(row.id);
                  }}
                >
                  {t(row.origin === "found" ? "agents.menu.keep" : "agents.menu.edit")}
                </Button>
              )}
            </>
          }
        />
      )}
      {rows !== null && (params.has("add") || editing !== undefined) && (
        <AgentDialog
          row={editing ?? null}
          agents={rows}
          settings={settings}
          onSaved={setFocused}
          onClose={() => {
            setParams({ add: null, edit: null });
          }}
        />
      )}
    </ViewFrame>
  );
}

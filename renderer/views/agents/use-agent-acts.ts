import { useTranslation } from "react-i18next";
import type { AgentRow } from "../../../core/contract/domain.ts";
import type { MenuItems } from "../../components/menu.tsx";
import { go } from "../../shell/location.ts";
import type { Agents } from "../../stores/agents.ts";
import { usePanel } from "../../stores/panel.tsx";
import type { SettingsStore } from "../../stores/settings.ts";

export interface AgentActsOptions {
  agents: Agents;
  settings: SettingsStore;
  /** Why nothing can be changed now, in words. */
  locked: string | null;
  /** Opens the dialog of an agent. */
  edit: (id: string) => void;
}

/** What can be done to an agent, the same from its row, its menu and its detail. */
export function useAgentActs({ agents, settings, locked, edit }: AgentActsOptions) {
  const { t } = useTranslation();
  const { ask, toasts } = usePanel();

  const setDefault = async (id: string) => {
    const reply = await agents.actions.setDefault(id);
    if (!reply.ok)
      toasts.actions.raise({
        title: t("agents.changeFailed"),
        body: reply.error.message,
        tone: "failed",
      });
  };
  const remove = (row: AgentRow) => {
    ask.actions.ask({
      title: t("agents.remove.title", { id: row.id }),
      facts: [
        {
          label: t("agents.remove.default"),
          value: t(row.isDefault ? "agents.remove.defaultNext" : "agents.remove.defaultKept"),
        },
        {
          label: t("agents.remove.running"),
          value:
            row.running === 0
              ? t("agents.remove.none")
              : t("agents.remove.runningKept", { count: row.running }),
        },
        {
          label: t("agents.remove.key"),
          value: t(row.hasKey ? "agents.remove.keyGone" : "agents.remove.keyNone"),
        },
      ],
      verb: t("agents.remove.verb"),
      busyVerb: t("agents.remove.busy"),
      tone: "danger",
      run: () => settings.actions.set(`agents.${row.id}`, null),
    });
  };

  return {
    setDefault,
    menuFor(row: AgentRow): MenuItems {
      const common: MenuItems = [
        {
          label: t("agents.menu.probe"),
          onSelect: () => void agents.actions.probe(row.id),
        },
        {
          label: t("agents.menu.makeDefault"),
          why: row.isDefault ? t("agents.menu.isDefault") : locked,
          onSelect: () => void setDefault(row.id),
        },
        {
          label: t("agents.menu.sessions"),
          onSelect: () => {
            go(`/sessions?filter=agent:${row.id}`);
          },
        },
      ];
      if (row.origin === "built-in") return common;
      const label = t(row.origin === "found" ? "agents.menu.keep" : "agents.menu.edit");
      const change = {
        label,
        why: locked,
        onSelect: () => {
          edit(row.id);
        },
      };
      if (row.origin === "found") return [...common, "separator", change];
      return [
        ...common,
        "separator",
        change,
        {
          label: t("agents.menu.remove"),
          tone: "danger",
          why: locked,
          onSelect: () => {
            remove(row);
          },
        },
      ];
    },
  };
}

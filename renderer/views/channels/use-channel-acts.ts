import { useTranslation } from "react-i18next";
import type { ChannelRow } from "../../../core/contract/domain.ts";
import { copyText } from "../../components/copy.ts";
import type { MenuItems } from "../../components/menu.tsx";
import { go } from "../../shell/location.ts";
import { usePanel } from "../../stores/panel.tsx";
import type { SettingsStore } from "../../stores/settings.ts";
import { sessionsOf } from "./channel-columns.tsx";
import { enabledPath, hookNameOf } from "./channel-rows.ts";
import { gatewayAddress } from "./hook-command.ts";

const UNDO_MS = 10_000; // ux.md 7, level 1

/** What a row's menu opens on the screen. */
export interface ChannelOpens {
  edit: (hook: string) => void;
  tryIt: (hook: string) => void;
  simulate: () => void;
}

/** What can be done to a channel, the same from its row, its menu and its detail. */
export function useChannelActs(
  settings: SettingsStore,
  /** Why nothing can be changed now, in words. */
  locked: string | null,
  opens: ChannelOpens,
) {
  const { t } = useTranslation();
  const { ask, undo, toasts, timer, announcer } = usePanel();

  const write = async (id: string, on: boolean): Promise<boolean> => {
    // Switched on is the default, which leaves no line in the file.
    const reply = await settings.actions.set(enabledPath(id), on ? null : false);
    if (!reply.ok)
      toasts.actions.raise({
        title: t("channels.switchFailed", { name: id }),
        body: reply.error.message,
        tone: "failed",
      });
    return reply.ok;
  };
  const switchOff = async ({ id }: ChannelRow) => {
    if (!(await write(id, false))) return;
    undo.offer({
      keys: [],
      title: t("channels.switchedOff", { name: id }),
      body: t("channels.switchedOffBody"),
      untilMs: timer.nowMs() + UNDO_MS,
      run: () => void write(id, true),
    });
  };
  const remove = (row: ChannelRow, hook: string) => {
    const none = t("channels.remove.none");
    ask.actions.ask({
      title: t("channels.remove.title", { name: hook }),
      body: t("channels.remove.body"),
      facts: [
        {
          label: t("channels.remove.address"),
          value: t("channels.remove.addressGone", { address: row.address ?? "" }),
        },
        {
          label: t("channels.remove.sessions"),
          value:
            row.sessions === 0 ? none : t("channels.remove.sessionsKept", { count: row.sessions }),
        },
        { label: t("channels.remove.secret"), value: t("channels.remove.secretGone") },
      ],
      verb: t("channels.remove.verb"),
      busyVerb: t("channels.remove.busy"),
      tone: "danger",
      run: () => settings.actions.set(`channels.webhook.${hook}`, null),
    });
  };

  const copyAddress = async (path: string) => {
    const copied = await copyText(gatewayAddress(path, window.location.origin) ?? path);
    if (copied) announcer.say(t("copiedThing", { what: t("channels.address") }));
  };

  return {
    switchOff,
    switchOn: (row: ChannelRow) => write(row.id, true),
    remove,
    menuFor(row: ChannelRow): MenuItems {
      const hook = hookNameOf(row.id);
      const onOff =
        row.state === "stopped"
          ? {
              label: t("channels.menu.enable"),
              why: locked,
              onSelect: () => void write(row.id, true),
            }
          : { label: t("channels.menu.disable"), why: locked, onSelect: () => void switchOff(row) };
      const sessions = {
        label: t("channels.menu.sessions"),
        onSelect: () => {
          go(sessionsOf(row.id));
        },
      };
      if (hook === null)
        return row.kind === "simulator"
          ? [
              sessions,
              { label: t("channels.menu.simulate"), onSelect: opens.simulate },
              "separator",
              onOff,
            ]
          : [sessions, "separator", onOff];
      return [
        sessions,
        {
          label: t("channels.menu.edit"),
          why: locked,
          onSelect: () => {
            opens.edit(hook);
          },
        },
        {
          label: t("channels.menu.tryIt"),
          onSelect: () => {
            opens.tryIt(hook);
          },
        },
        {
          label: t("channels.menu.copyAddress"),
          onSelect: () => void copyAddress(row.address ?? ""),
        },
        "separator",
        onOff,
        {
          label: t("channels.menu.remove"),
          tone: "danger",
          why: locked,
          onSelect: () => {
            remove(row, hook);
          },
        },
      ];
    },
  };
}

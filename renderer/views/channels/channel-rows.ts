import type { ChannelRow } from "../../../core/contract/domain.ts";
import { settingAt } from "../../stores/settings.ts";
import type { StoredHook } from "./hook-form.ts";

/** The name of the webhook that a channel id stands for; null for other channels. */
export const hookNameOf = (channelId: string): string | null =>
  /^webhook:(.+)$/.exec(channelId)?.[1] ?? null;

/** The webhooks of the settings, by name. */
export const storedHooks = (settings: unknown): Readonly<Record<string, StoredHook>> =>
  (settingAt(settings, "channels.webhook") ?? {}) as Record<string, StoredHook>; // checked by the gateway's schema

/** Where the switch of a channel stands in the settings. */
export function enabledPath(channelId: string): string {
  const hook = hookNameOf(channelId);
  return hook === null ? `channels.${channelId}.enabled` : `channels.webhook.${hook}.enabled`;
}

/** The running channels, and after them those that are switched off: the gateway does not list these. */
export function channelRows(running: readonly ChannelRow[], settings: unknown): ChannelRow[] {
  const off = (id: string, kind: string, address: string | null): ChannelRow => ({
    id,
    kind,
    state: "stopped",
    sinceMs: 0,
    account: null,
    messagesIn: 0,
    messagesOut: 0,
    lastError: null,
    sessions: 0,
    address,
  });
  const builtIn = ["local", "simulator"]
    .filter((id) => settingAt(settings, enabledPath(id)) === false)
    .map((id) => off(id, id, null));
  const hooks = Object.entries(storedHooks(settings))
    .filter(([, hook]) => !hook.enabled)
    .map(([name]) => off(`webhook:${name}`, "webhook", `/hooks/${name}`));
  const listed = new Set(running.map((row) => row.id));
  return [...running, ...[...builtIn, ...hooks].filter((row) => !listed.has(row.id))];
}

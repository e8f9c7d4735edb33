import type { BreakerSettings } from "../recovery/boot-decision.ts";
import type { RecoverySettings } from "../recovery/recover.ts";
import type { Base } from "./base.ts";
import type { Machinery } from "./machinery.ts";

/** How recovery judges, from the settings in force (lifecycle 19). */
export function recoverySettings(
  { config }: Base,
  { channelOf }: Pick<Machinery, "channelOf">,
): Omit<RecoverySettings, "breakerTripped" | "clean"> {
  const { gateway, agent } = config.value;
  return {
    maxAgeMs: Math.max(3_600, 2 * agent.gateway_timeout) * 1000,
    freshnessMs: agent.gateway_auto_continue_freshness * 1000,
    delivery: (channelId) => ({
      policy: gateway.delivery_unknown_by_channel[channelId] ?? gateway.delivery_unknown,
      staleMs: gateway.delivery_stale_minutes * 60_000,
      idempotent: channelOf(channelId)?.capabilities.idempotentSend ?? false,
    }),
  };
}

/** When starts in a row are a crash loop (lifecycle 10.5). */
export function breakerSettings({ config }: Base): BreakerSettings {
  const guard = config.value.gateway.restart_loop_guard;
  return {
    maxRestarts: guard.max_restarts,
    windowMs: guard.window_seconds * 1000,
    maxGapMs: guard.max_gap_seconds * 1000,
  };
}

import type { DeliveryRow } from "../../../core/contract/calls-recovery.ts";
import type { SessionRow } from "../../../core/contract/domain.ts";

/** One reply of which nobody knows whether it arrived. */
export function fakeDeliveries(nowMs: number, rows: SessionRow[]): DeliveryRow[] {
  const row = rows.find((one) => one.platform === "telegram") ?? rows[0];
  if (row === undefined) return [];
  return [
    {
      id: "d1",
      key: row.key,
      title: row.title,
      channelId: row.channelId,
      chatId: row.key.split(":").at(-1) ?? "",
      kind: "reply",
      state: "unknown",
      attempts: 1,
      recovered: false,
      partsDone: 0,
      partsTotal: null,
      preview: "The second one: one table, two readers.",
      nextAttemptAtMs: null,
      lastError: "The connection broke after the request had left.",
      createdAtMs: nowMs - 2_500_000,
      updatedAtMs: nowMs - 2_400_000,
    },
  ];
}

import type { BootItem, BootList, RecoveryLists } from "../contract/calls-recovery.ts";
import type { NewNotice } from "../live/notice-store.ts";
import { bootLists } from "../contract/calls-recovery.ts";
import type { RoutingRow } from "../sessions/routing-store.ts";
import type { DebtVerdict } from "../delivery/boot-sweep.ts";
import type { LaneFound, LaneVerdict } from "./boot-decision.ts";

/** Items that a report lists; it counts them all. */
const listed = 200;

/** Collects what is found and done, list by list. */
export function reportLists(): {
  add(list: BootList, item: BootItem): void;
  lists(): RecoveryLists;
} {
  const lists = Object.fromEntries(
    bootLists.map((name) => [name, { count: 0, items: [] as BootItem[] }]),
  ) as Record<BootList, { count: number; items: BootItem[] }>;
  return {
    add(name, item) {
      const list = lists[name];
      list.count += 1;
      if (list.items.length < listed) list.items.push(item);
    },
    lists: () => lists,
  };
}

const minutes = (ms: number): string =>
  ms < 60_000 ? `${Math.round(ms / 1000)} s` : `${Math.round(ms / 60_000)} min`;

/** The list and the sentence under which a verdict about a lane is reported; null where there is nothing to say. */
export function laneEntry(
  row: RoutingRow,
  found: LaneFound,
  verdict: LaneVerdict,
): { list: BootList; item: BootItem } | null {
  const entry = (list: BootList, evidence: string) => ({
    list,
    item: { key: row.sessionKey, title: row.title, evidence, deliveryId: null },
  });
  const cut = found.marker
    ? `Its turn had begun ${minutes(found.marker.ageMs)} before and had no end.`
    : `Marked to resume (${found.resumePending?.reason ?? "unknown reason"}) ${minutes(found.resumePending?.ageMs ?? 0)} before.`;
  switch (verdict.kind) {
    case "nothing":
    case "discard":
      return null;
    case "ledger-owns":
      return entry("settled", `${cut} Its reply was in the ledger already.`);
    case "settle":
      return entry(
        "settled",
        `${cut} Its reply was in the transcript${verdict.owed === null ? "; nothing was owed" : ""}.`,
      );
    case "stopped":
      return entry("settled", `${cut} It had been stopped.`);
    case "suspend-stuck":
      return entry("stuck", `Interrupted ${verdict.restarts} restarts in a row.`);
    case "resume":
      return entry(
        "resumed",
        `${cut}${found.restarts > 0 ? ` Restart ${found.restarts + 1} in a row.` : ""}`,
      );
    case "hold":
      return entry("held", `${cut} Held back: the gateway restarted too often in a short time.`);
    case "give-up":
      return entry(
        "givenUp",
        `${cut} ${verdict.because === "stale" ? "Too old to take up by itself" : "The session is suspended"}; the person was told.`,
      );
  }
}

/** The same for a debt. */
export function debtEntry(
  verdict: DebtVerdict,
  row: {
    sessionKey: RoutingRow["sessionKey"];
    title: string;
    obligationId: string;
    attempts: number;
    state: string;
  },
): { list: BootList; item: BootItem } | null {
  const entry = (list: BootList, evidence: string) => ({
    list,
    item: { key: row.sessionKey, title: row.title, evidence, deliveryId: row.obligationId },
  });
  switch (verdict.kind) {
    case "leave":
      return null;
    case "send-plain":
      return entry(
        "sentPlain",
        row.attempts === 0
          ? "Recorded, its sending had not begun."
          : `Certainly not delivered by ${row.attempts} attempt${row.attempts === 1 ? "" : "s"}.`,
      );
    case "repeat":
      return entry(
        "sentPlain",
        "Its sending had begun; the platform recognises the key of a repeated request.",
      );
    case "send-labelled":
      return entry(
        "redelivered",
        "Its sending had begun and was not confirmed; sent once more with a label.",
      );
    case "ask":
      return entry(
        "unknown",
        "Its sending had begun and was not confirmed; it waits for your decision.",
      );
    case "expire":
      return entry("abandoned", "Too old to be sent by itself.");
  }
}

const deliveries = (count: number): string => (count === 1 ? "1 delivery" : `${count} deliveries`);

/** What a start found that only a person can settle; null where there is nothing. */
export function bootNotice(lists: RecoveryLists, bootId: string): NewNotice | null {
  const { stuck, held, unknown, abandoned } = lists;
  const needs = [
    stuck.count > 0 ? `${stuck.count} suspended as stuck` : "",
    held.count > 0 ? `${held.count} held back` : "",
    unknown.count > 0 ? `${deliveries(unknown.count)} may not have arrived` : "",
    abandoned.count > 0 ? `${deliveries(abandoned.count)} too old to be sent by itself` : "",
  ].filter((part) => part !== "");
  if (needs.length === 0) return null;
  return {
    kind: "needs_you",
    title: "The last start needs you",
    body: `${needs.join(", ")}.`,
    link: `/recovery?boot=${bootId}`,
    group: null,
  };
}

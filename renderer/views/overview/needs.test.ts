import { describe, expect, test } from "vitest";
import type { DeliveryRow } from "../../../core/contract/calls-recovery.ts";
import type { ChannelRow, SessionRow } from "../../../core/contract/domain.ts";
import { asSessionKey } from "../../../core/contract/ids.ts";
import { fakeSession } from "../../bridge/fake/fake-seed.ts";
import { needsOf, remedyOf } from "./needs.ts";

const base = fakeSession(0, { sessions: 1, nowMs: 10_000_000 });
const session = (key: string, changes: Partial<SessionRow>): SessionRow => ({
  ...base,
  error: null,
  ...changes,
  key: asSessionKey(key),
});
const channel = (id: string, changes: Partial<ChannelRow>): ChannelRow => ({
  id,
  kind: "webhook",
  state: "down",
  sinceMs: 0,
  account: null,
  messagesIn: 0,
  messagesOut: 0,
  lastError: null,
  sessions: 0,
  address: null,
  ...changes,
});
const delivery: DeliveryRow = {
  id: "d1",
  key: asSessionKey("k9"),
  title: "Anna",
  channelId: "telegram",
  chatId: "1",
  kind: "reply",
  state: "unknown",
  attempts: 1,
  recovered: false,
  partsDone: 0,
  partsTotal: null,
  preview: "",
  lastError: null,
  nextAttemptAtMs: null,
  createdAtMs: 250,
  updatedAtMs: 300,
};
const up = { state: "up" as const, problems: [] };

describe("what needs the operator", () => {
  test("comes oldest first, and what has no time before it", () => {
    const problem = { code: "config.value", message: "wrong", where: null, remedy: null };
    const needs = needsOf({
      sessions: [
        session("k1", { state: "failed", stateSinceMs: 400 }),
        session("k2", { state: "stuck", stateSinceMs: 100 }),
        session("k3", { state: "running", stateSinceMs: 50 }),
      ],
      channels: [channel("webhook:a", { sinceMs: 200 }), channel("local", { state: "up" })],
      deliveries: [delivery],
      status: { state: "read_only", problems: [problem, problem] },
    });
    expect(needs.map(({ id }) => id)).toEqual([
      "store",
      "settings",
      "session k2",
      "channel webhook:a",
      "delivery d1",
      "session k1",
    ]);
    expect(needs[1]).toMatchObject({ kind: "settings", more: 1 });
  });

  test("is nothing where all is well", () => {
    const sessions = [session("k", { state: "idle" })];
    expect(needsOf({ sessions, channels: [], deliveries: [], status: up })).toEqual([]);
  });
});

describe("the one best thing to do", () => {
  const of = (row: SessionRow) => {
    const [need] = needsOf({ sessions: [row], channels: [], deliveries: [], status: up });
    return need && remedyOf(need);
  };
  test.each([
    { row: session("k", { state: "waiting" }), act: "answer" },
    { row: session("k", { state: "stuck" }), act: "unsuspend" },
    { row: session("k", { state: "failed" }), act: "open" },
    {
      row: session("k", { state: "failed", error: { code: "E_AGENT_KEY", message: "" } }),
      act: "agents",
    },
    {
      row: session("k", { state: "failed", error: { code: "E_AGENT_CONTEXT", message: "" } }),
      act: "open",
    },
  ])("for a session $row.state with $row.error.code is $act", ({ row, act }) => {
    expect(of(row)).toMatchObject({ act });
  });

  test("for a reply that may have arrived is to decide about it", () => {
    const deliveries = [delivery];
    const [need] = needsOf({ sessions: [], channels: [], deliveries, status: up });
    expect(need && remedyOf(need)).toEqual({ act: "deliveries" });
  });

  test.each([
    { id: "webhook:deploys", edit: "deploys" },
    { id: "telegram", edit: null },
  ])("for channel $id is to edit $edit", ({ id, edit }) => {
    const channels = [channel(id, {})];
    const [need] = needsOf({ sessions: [], channels, deliveries: [], status: up });
    expect(need && remedyOf(need)).toEqual({ act: "channel", edit });
  });
});

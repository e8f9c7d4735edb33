import type { Clock } from "../clock.ts";
import type { GatewayStatus, SessionRow } from "../contract/domain.ts";
import type { PushName, Pushes } from "../contract/bridge.ts";
import type { SessionId, SessionKey } from "../contract/ids.ts";
import type { Connection, PushListener } from "../gateway-api.ts";
import type { MessageRow } from "../contract/domain.ts";
import type { Bus } from "./bus.ts";

export interface PushDeps {
  bus: Bus;
  clock: Clock;
  sessionRow(key: SessionKey): SessionRow | undefined;
  counts(): Pushes["sessions.delta"]["counts"];
  messages(ids: readonly number[]): MessageRow[];
  status(): GatewayStatus;
  /** Batch length, in ms. */
  batchMs: number;
}

interface Client {
  connection: Connection;
  push: PushListener;
}

/** At most one push a view per batch; ends, failures and what needs a person skip it (style P9). */
export function createPushes(deps: PushDeps) {
  const { bus, clock } = deps;
  const clients = new Set<Client>();
  let dirty = new Set<SessionKey>();
  let removed = new Set<SessionKey>();
  let text = new Map<SessionKey, Pushes["turn.text"]>();
  let logLines: Pushes["logs.append"]["lines"] = [];
  let changedTranscripts = new Set<SessionKey>();
  let channels: Pushes["channels.changed"] | null = null;
  let agents: Pushes["agents.changed"] | null = null;
  let statusDirty = false;
  let statusAtMs = 0;
  let cancel: (() => void) | null = null;

  function schedule(urgent: boolean): void {
    if (clients.size === 0) {
      clear(); // nobody looks; a client that connects pulls
      return;
    }
    if (urgent) {
      cancel?.();
      cancel = clock.after(0, flush);
    } else cancel ??= clock.after(deps.batchMs, flush);
  }

  function clear(): void {
    dirty = new Set();
    removed = new Set();
    text = new Map();
    logLines = [];
    changedTranscripts = new Set();
    channels = null;
    agents = null;
    statusDirty = false;
  }

  function all<P extends PushName>(name: P, payload: Pushes[P]): void {
    for (const client of clients) client.push(name, payload);
  }

  function watchers<
    P extends "turn.text" | "turn.end" | "transcript.append" | "transcript.changed",
  >(name: P, payload: Pushes[P]): void {
    for (const client of clients)
      if (client.connection.watching.has(payload.key)) client.push(name, payload);
  }

  function flush(): void {
    cancel = null;
    const upserts = [...dirty].flatMap((key) => deps.sessionRow(key) ?? []);
    if (upserts.length > 0 || removed.size > 0)
      all("sessions.delta", { upserts, removed: [...removed], counts: deps.counts() });
    for (const piece of text.values()) watchers("turn.text", piece);
    for (const key of changedTranscripts) watchers("transcript.changed", { key });
    if (channels) all("channels.changed", channels);
    if (agents) all("agents.changed", agents);
    if (logLines.length > 0) all("logs.append", { lines: logLines });
    const sendStatus = statusDirty || upserts.length > 0;
    clear();
    // The footer needs no more than two readings a second.
    if (sendStatus && clock.monotonicMs() - statusAtMs >= 500) {
      statusAtMs = clock.monotonicMs();
      all("gateway.status", deps.status());
    } else if (sendStatus) {
      statusDirty = true;
      cancel ??= clock.after(500, flush);
    }
  }

  const off = [
    bus.on("session.changed", ({ key, urgent }) => {
      dirty.add(key);
      schedule(urgent);
    }),
    bus.on("session.removed", ({ key }) => {
      removed.add(key);
      schedule(true);
    }),
    bus.on("messages.appended", ({ key, ids }) => {
      if (ids.length === 0 || ![...clients].some((client) => client.connection.watching.has(key)))
        return;
      const messages = deps.messages(ids);
      const first = messages[0];
      if (first)
        watchers("transcript.append", { key, sessionId: first.sessionId as SessionId, messages });
    }),
    bus.on("messages.changed", ({ key }) => {
      changedTranscripts.add(key);
      schedule(false);
    }),
    bus.on("turn.text", (piece) => {
      const held = text.get(piece.key);
      const joins = held?.turnId === piece.turnId && held.from + held.text.length === piece.from;
      text.set(
        piece.key,
        joins ? { ...held, text: held.text + piece.text, tool: piece.tool } : piece,
      );
      schedule(false);
    }),
    bus.on("turn.end", (end) => {
      const held = text.get(end.key);
      if (held) watchers("turn.text", held);
      text.delete(end.key);
      watchers("turn.end", end);
    }),
    bus.on("undo.withdrawn", (payload) => {
      all("undo.withdrawn", payload);
    }),
    bus.on("channels.changed", (payload) => {
      channels = payload;
      schedule(false);
    }),
    bus.on("agents.changed", (payload) => {
      agents = payload;
      schedule(false);
    }),
    bus.on("notice.raised", (payload) => {
      all("notice.raised", payload);
    }),
    bus.on("config.changed", (payload) => {
      all("config.changed", payload);
    }),
    bus.on("logs.line", (line) => {
      if (logLines.length < 500) logLines.push(line);
      schedule(false);
    }),
    bus.on("status.changed", () => {
      statusDirty = true;
      schedule(false);
    }),
  ];

  return {
    connect(connection: Connection, push: PushListener): () => void {
      const client = { connection, push };
      clients.add(client);
      return () => {
        clients.delete(client);
      };
    },
    close(): void {
      cancel?.();
      for (const stop of off) stop();
      clients.clear();
    },
  };
}

import type { Clock } from "../clock.ts";
import type { GatewayStatus, SessionRow } from "../contract/domain.ts";
import type { PushName, Pushes } from "../contract/bridge.ts";
import type { SessionKey } from "../contract/ids.ts";
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
  /** Told about a batch that could not be read and a client that could not be told. */
  onError(cause: unknown): void;
}

/** Pause between two readings of the gateway's state, in ms. */
const statusEveryMs = 500;

/** What waits for the next batch. */
interface Held {
  dirty: Set<SessionKey>;
  removed: Set<SessionKey>;
  text: Map<SessionKey, Pushes["turn.text"]>;
  logLines: Pushes["logs.append"]["lines"];
  changedTranscripts: Set<SessionKey>;
  channels: Pushes["channels.changed"] | null;
  agents: Pushes["agents.changed"] | null;
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
  let statusAtMs = -statusEveryMs;
  let cancel: (() => void) | null = null;
  let cancelStatus: (() => void) | null = null;

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

  /** A client that cannot be told has left without saying so. */
  function tell<P extends PushName>(client: Client, name: P, payload: Pushes[P]): void {
    try {
      client.push(name, payload);
    } catch (cause) {
      clients.delete(client);
      deps.onError(cause);
    }
  }

  function all<P extends PushName>(name: P, payload: Pushes[P]): void {
    for (const client of clients) tell(client, name, payload);
  }

  function watchers<
    P extends "turn.text" | "turn.end" | "transcript.append" | "transcript.changed",
  >(name: P, payload: Pushes[P]): void {
    for (const client of clients)
      if (client.connection.watching.has(payload.key)) tell(client, name, payload);
  }

  function flush(): void {
    cancel = null;
    const held = { dirty, removed, text, logLines, changedTranscripts, channels, agents };
    const touched = dirty.size > 0 || statusDirty;
    clear();
    try {
      pushAll(held);
      if (touched) pushStatus();
    } catch (cause) {
      deps.onError(cause); // runs from a timer: nobody else would catch it
    }
  }

  function pushAll(held: Held): void {
    const upserts = [...held.dirty].flatMap((key) => deps.sessionRow(key) ?? []);
    const removed = [...held.removed];
    if (upserts.length > 0 || removed.length > 0)
      all("sessions.delta", { upserts, removed, counts: deps.counts() });
    for (const piece of held.text.values()) watchers("turn.text", piece);
    for (const key of held.changedTranscripts) watchers("transcript.changed", { key });
    if (held.channels) all("channels.changed", held.channels);
    if (held.agents) all("agents.changed", held.agents);
    if (held.logLines.length > 0) all("logs.append", { lines: held.logLines });
  }

  /** The footer needs no more than two readings a second; what comes between is told at the end of the half second. */
  function pushStatus(): void {
    const waitMs = statusAtMs + statusEveryMs - clock.monotonicMs();
    if (waitMs > 0) {
      cancelStatus ??= clock.after(waitMs, () => {
        cancelStatus = null;
        cancel?.();
        statusDirty = true;
        flush();
      });
      return;
    }
    statusAtMs = clock.monotonicMs();
    all("gateway.status", deps.status());
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
      if (first) watchers("transcript.append", { key, sessionId: first.sessionId, messages });
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
    bus.on("import.progress", (payload) => {
      all("import.progress", payload);
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
    /** To every client at once; for views that batch on their own. */
    broadcast: all,
    hasClients: (): boolean => clients.size > 0,
    connect(connection: Connection, push: PushListener): () => void {
      const client = { connection, push };
      clients.add(client);
      return () => {
        clients.delete(client);
      };
    },
    close(): void {
      cancel?.();
      cancelStatus?.();
      for (const stop of off) stop();
      clients.clear();
    },
  };
}

import { randomUUID } from "node:crypto";
import type { Clock } from "../clock.ts";
import { SignalboxError } from "../contract/errors.ts";
import { asSessionKey } from "../contract/ids.ts";
import type { SessionKey } from "../contract/ids.ts";
import { agentQualified } from "../journal/agent-key.ts";
import type { Journal } from "../journal/journal.ts";
import { renderedLines } from "../journal/notice-text.ts";
import type { SystemEvent } from "../journal/system-event-store.ts";
import type { SessionDirectory } from "../sessions/session-directory.ts";
import { sessionSource } from "../sessions/session-source.ts";
import type { Database } from "../state/database.ts";
import type { Requester, Tool } from "./tool.ts";
import type { Called, SessionTools } from "./toolbox.ts";

/** A program outside of the gateway that uses its tools; it is a session like any other (issue of step 4). */
export interface ToolClient {
  readonly key: SessionKey;
  /** Runs a tool. `lines` are what waited for this session and is shown with the answer. */
  call(
    name: string,
    args: unknown,
    signal: AbortSignal,
  ): Promise<Called & { lines: string | null }>;
  /** What was shown last and never followed by a call waits again. */
  close(): Promise<void>;
}

export interface ToolClients {
  readonly tools: readonly Tool[];
  /**
   * @param name What the program calls itself.
   * @param session The key of the session that it acts as; null: one named after it.
   * @throws {SignalboxError} E_INPUT for a key that names no agent.
   */
  open(name: string, session: string | null): Promise<ToolClient>;
  /** Called when something begins to wait for a session, with its text. Returns its own undo. */
  onWaiting(listener: (key: string) => void): () => void;
}

export interface ToolClientDeps {
  db: Database;
  directory: SessionDirectory;
  journal: Journal;
  tools: SessionTools;
  clock: Clock;
  changed(key: SessionKey): void;
}

/** Asking advances nothing: the tool with which a session looks never counts as its turn (I9). */
const looks = "session_status";

const slug = (name: string): string => {
  const plain = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, 64);
  return plain === "" ? "client" : plain;
};

/** Programs outside of the gateway as sessions: each call is a turn of theirs, in which they are shown what waits. */
export function createToolClients(deps: ToolClientDeps): ToolClients {
  const { db, directory, journal, tools, clock } = deps;

  async function ensure(key: SessionKey, name: string): Promise<boolean> {
    const known = directory.routing.get(key);
    if (known) return known.channelId === "mcp";
    await db.write(() =>
      directory.ensureLane(
        {
          key,
          identity: null,
          channelId: "mcp",
          source: sessionSource({
            platform: "local",
            chatId: `mcp:${key}`,
            chatName: name,
            chatType: "dm",
          }),
          createdBy: { type: "agent", id: key },
        },
        clock.nowMs(),
      ),
    );
    deps.changed(key);
    return true;
  }

  return {
    tools: tools.tools,
    onWaiting: (listener) =>
      journal.listen({
        committed({ notices }) {
          for (const { watcher, opened } of notices) if (opened) listener(watcher);
        },
      }),
    async open(name, session) {
      if (session !== null && agentQualified(session) === null)
        throw new SignalboxError("E_INPUT", "The session's key must read agent:<agent>:<rest>.", {
          field: "session",
        });
      const key = asSessionKey(session ?? `agent:main:mcp:${slug(name)}`);
      const isClient = await ensure(key, name);
      const requester: Requester = {
        key,
        isClient,
        // Nobody here sees who makes the program call: each call begins a chain.
        chain: () => ({ id: `client:${randomUUID()}`, hops: 0 }),
      };
      let shown: SystemEvent[] = [];

      /** A further call proves that what was shown with the last one arrived. */
      async function turn(name: string): Promise<string | null> {
        if (!isClient || name === looks) return null;
        const before = shown;
        shown = await db.write(() => {
          journal.acknowledge(key, before, clock.nowMs());
          return journal.take(key, `client:${randomUUID()}`);
        });
        return shown.length === 0 ? null : renderedLines(shown);
      }

      return {
        key,
        async call(toolName, args, signal) {
          const lines = await turn(toolName);
          const called = await tools.call(requester, toolName, args, signal);
          return { ...called, lines };
        },
        async close() {
          const before = shown;
          shown = [];
          if (before.length > 0)
            await db.write(() => {
              journal.putBack(before, clock.nowMs());
            });
        },
      };
    },
  };
}

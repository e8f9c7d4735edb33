import { z } from "zod";
import { agentOf } from "../journal/agent-key.ts";
import { SignalboxError } from "../contract/errors.ts";
import { asSessionId } from "../contract/ids.ts";
import type { ListedSession } from "./session-query-store.ts";
import { tool } from "./tool.ts";
import type { Tool } from "./tool.ts";
import type { ToolDeps } from "./tool-deps.ts";

/** Most rows of one answer, and pages looked through for them (state-awareness 10.2). */
const mostRows = 200;
const mostPages = 5;
const resultBytes = 64 * 1024;
const enrichedRows = 100;
const previewChars = 160;

const kinds = ["main", "group", "cron", "hook", "node", "other"] as const;

const input = z.object({
  kinds: z.array(z.enum(kinds)).optional(),
  limit: z.number().int().positive().optional().describe("Default 100, at most 200."),
  offset: z.number().int().min(0).optional().describe("nextOffset of the page before."),
  activeMinutes: z.number().positive().optional(),
  activeOnly: z.boolean().optional().describe("Only sessions that work now."),
  excludeSubagents: z.boolean().optional(),
  relationship: z
    .enum(["owned", "created", "involving"])
    .optional()
    .describe("created: sessions that this session spawned."),
  label: z.string().max(512).optional(),
  agentId: z.string().max(64).optional(),
  search: z.string().max(200).optional(),
  archived: z.union([z.boolean(), z.literal("all")]).optional(),
  messageLimit: z.number().int().min(0).max(20).optional(),
  includeDerivedTitles: z.boolean().optional(),
  includeLastMessage: z.boolean().optional(),
});

type Wish = z.output<typeof input>;

/** Sessions that the requester may see, newest first (state-awareness 10.2). Pages are a live view. */
export function sessionsListTool(deps: ToolDeps): Tool {
  const { directory, parentage, query, finder, clock } = deps;

  function row(
    found: ListedSession & { kind: string },
    requester: string,
    wish: Wish,
    index: number,
  ) {
    const enriched = index < enrichedRows;
    const children = parentage
      .childrenOf(found.key)
      .filter((child) => finder.canSee(requester, child));
    const messages =
      enriched && ((wish.messageLimit ?? 0) > 0 || wish.includeLastMessage === true)
        ? directory.messages
            .page(
              asSessionId(found.sessionId),
              Number.MAX_SAFE_INTEGER,
              (wish.messageLimit ?? 0) + 4,
            )
            .filter((message) => message.role === "user" || message.role === "assistant")
        : [];
    const last = messages.at(-1);
    return {
      key: found.key,
      sessionId: found.sessionId,
      agentId: agentOf(found.key),
      kind: found.kind,
      channel: found.channelId,
      archived: false,
      pinned: false,
      ...(found.title === "" ? {} : { label: found.title, displayName: found.title }),
      ...(found.spawnedBy !== null && finder.canSee(requester, found.spawnedBy)
        ? { parentSessionKey: found.spawnedBy }
        : {}),
      ...(children.length === 0 ? {} : { childSessions: children }),
      updatedAt: found.updatedAt,
      // Only where the journal knows of changes.
      ...((found.stateVersion ?? 0) > 0 ? { stateVersion: found.stateVersion } : {}),
      ...(found.totalTokens === 0 ? {} : { totalTokens: found.totalTokens }),
      ...(found.lastPromptTokens === 0 ? {} : { contextTokens: found.lastPromptTokens }),
      status: found.state,
      ...(wish.includeDerivedTitles === true && enriched && found.title !== ""
        ? { derivedTitle: found.title }
        : {}),
      ...(wish.includeLastMessage === true && last
        ? { lastMessagePreview: last.text.slice(0, previewChars) }
        : {}),
      ...((wish.messageLimit ?? 0) > 0 && enriched
        ? {
            messages: messages
              .slice(-(wish.messageLimit ?? 0))
              .map(({ role, text, timestamp }) => ({ role, text: text.slice(0, 4000), timestamp })),
          }
        : {}),
    };
  }

  return tool({
    name: "sessions_list",
    title: "List sessions",
    description:
      "Sessions that can be seen from here, newest first, with their version (stateVersion) where something changed. Page with offset = nextOffset.",
    reads: true,
    input,
    run(requester, wish) {
      const limit = Math.min(wish.limit ?? 100, mostRows);
      const rules = deps.rules();
      const restricted =
        rules.visibility !== "all" ||
        !rules.agentToAgent.enabled ||
        rules.agentToAgent.allow.length > 0;
      const sessions: Record<string, unknown>[] = [];
      let offset = wish.offset ?? 0;
      let bytes = 0;
      let more = true;
      let truncationReason: "scan-limit" | "byte-limit" | null = null;
      for (let page = 0; more && sessions.length < limit && truncationReason === null; page += 1) {
        if (page === mostPages) {
          truncationReason = "scan-limit";
          break;
        }
        // Archived sessions are not kept here: only they were asked for, so there are none.
        const found =
          wish.archived === true
            ? []
            : query.page(queryOf(wish, requester.key, offset, limit - sessions.length + 1));
        more = found.length > limit - sessions.length;
        for (const one of found.slice(0, limit - sessions.length)) {
          if (finder.canSee(requester.key, one.key)) {
            const shown = row(one, requester.key, wish, sessions.length);
            const size = Buffer.byteLength(JSON.stringify(shown));
            if (size > resultBytes)
              throw new SignalboxError(
                "E_TOO_LARGE",
                `The row of ${one.key} alone is over 64 KiB; ask for fewer messages.`,
              );
            if (bytes + size > resultBytes) {
              truncationReason = "byte-limit";
              more = true;
              break;
            }
            bytes += size;
            sessions.push(shown);
          }
          offset += 1;
        }
      }
      return {
        result: {
          count: sessions.length,
          sessions,
          hasMore: more,
          ...(more ? { nextOffset: offset } : {}),
          limitApplied: limit,
          ...(truncationReason === null ? {} : { truncationReason }),
          ...(sessions.length > enrichedRows &&
          (wish.includeLastMessage === true || wish.includeDerivedTitles === true)
            ? { enrichmentOmitted: sessions.length - enrichedRows }
            : {}),
          ...(restricted
            ? {
                visibility: {
                  mode: rules.visibility,
                  restricted: true,
                  warning: "Sessions may be missing here that the settings hide from this one.",
                },
              }
            : {}),
        },
      };
    },
  });

  function queryOf(wish: Wish, requester: string, offset: number, limit: number) {
    return {
      limit,
      offset,
      search: wish.search === undefined || wish.search === "" ? null : wish.search,
      label: wish.label ?? null,
      agentId: wish.agentId ?? null,
      updatedAfterMs:
        wish.activeMinutes === undefined ? null : clock.nowMs() - wish.activeMinutes * 60_000,
      activeOnly: wish.activeOnly === true,
      excludeSubagents: wish.excludeSubagents === true,
      spawnedBy: wish.relationship === "created" ? requester : null,
      kinds: wish.kinds ?? null,
    };
  }
}

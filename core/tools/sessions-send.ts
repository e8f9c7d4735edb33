import { z } from "zod";
import { SignalboxError, toWire } from "../contract/errors.ts";
import { asSessionKey } from "../contract/ids.ts";
import type { SessionKey } from "../contract/ids.ts";
import { agentOf, mainKey } from "../journal/agent-key.ts";
import { sessionSource } from "../sessions/session-source.ts";
import type { SendAnswer } from "./session-sends.ts";
import { refused, tool, ToolInputError } from "./tool.ts";
import type { Requester, Tool, ToolAnswer } from "./tool.ts";
import type { ToolDeps } from "./tool-deps.ts";

/** Longest wait of a call, in s: the calling turn stands still meanwhile. */
const longestWait = 600;
const defaultWait = 30;

const text = z.string().max(200_000).optional();
const input = z.object({
  sessionKey: z.string().max(2048).optional(),
  label: z
    .string()
    .min(1)
    .max(512)
    .optional()
    .describe("The title of the session, instead of its key."),
  agentId: z.string().min(1).max(64).optional().describe("Alone: the main session of that agent."),
  message: text.describe("What to say to the agent of that session."),
  SendMessage: text,
  content: text,
  text,
  timeoutSeconds: z
    .number()
    .int()
    .min(0)
    .optional()
    .describe(
      "How long to wait for the answer; default 30, 0 = not at all. It does not limit the receiver.",
    ),
  watch: z
    .boolean()
    .optional()
    .describe("From now on tell this session, once, when somebody else changes that one."),
  mode: z
    .enum(["notify", "steer", "followup", "resume"])
    .optional()
    .describe(
      "notify: only a line for its next turn. steer: into the running turn. followup: a turn of its own (default). resume: go on with a child task that ended.",
    ),
});
type Wish = z.output<typeof input>;

/** Sends a message into another session (state-awareness 10.4). */
export function sessionsSendTool(deps: ToolDeps): Tool {
  const { db, directory, journal, finder, relays, sends, childRuns, clock } = deps;
  const { routing } = directory;

  const messageOf = (wish: Wish): string => {
    const message = wish.message ?? wish.SendMessage ?? wish.content ?? wish.text ?? "";
    if (message.trim() === "") throw new ToolInputError("message is required");
    return message;
  };

  /** The main session of an agent is made when it is first written to. */
  async function ensureMain(key: SessionKey, requester: Requester): Promise<void> {
    if (key !== mainKey(agentOf(requester.key)) || routing.get(key)) return;
    await db.write(() =>
      directory.ensureLane(
        {
          key,
          identity: null,
          channelId: "local",
          source: sessionSource({
            platform: "local",
            chatId: "main",
            chatName: "Main",
            chatType: "dm",
            userId: "operator",
          }),
          createdBy: { type: "agent", id: requester.key },
        },
        clock.nowMs(),
      ),
    );
    deps.changed(key);
  }

  /** @throws {SignalboxError} E_NOT_FOUND, E_REFUSED; {ToolInputError} where nothing is named. */
  async function targetOf(requester: Requester, wish: Wish): Promise<SessionKey> {
    if (wish.sessionKey === undefined && wish.label !== undefined) {
      const found = deps.query
        .page({
          limit: 20,
          offset: 0,
          search: null,
          label: wish.label,
          agentId: wish.agentId ?? null,
          updatedAfterMs: null,
          activeOnly: false,
          excludeSubagents: false,
          spawnedBy: null,
          kinds: null,
        })
        .filter((row) => finder.canSee(requester.key, row.key));
      const [first, second] = found;
      if (!first)
        throw new SignalboxError("E_NOT_FOUND", `No session is labelled "${wish.label}".`);
      if (second)
        throw new SignalboxError(
          "E_CONFLICT",
          `Several sessions are labelled "${wish.label}"; use a key.`,
        );
      return asSessionKey(first.key);
    }
    if (wish.sessionKey === undefined && wish.agentId === undefined)
      throw new ToolInputError("sessionKey or label is required");
    const given =
      wish.sessionKey === undefined || wish.sessionKey === "main"
        ? mainKey(wish.agentId ?? agentOf(requester.key))
        : wish.sessionKey;
    await ensureMain(asSessionKey(given), requester);
    return finder.mustFind(requester.key, given).sessionKey;
  }

  const watchNow = (requester: Requester, to: SessionKey, nowMs: number): boolean =>
    routing.get(asSessionKey(requester.key)) !== undefined &&
    journal.watch(requester.key, { key: to, agentId: agentOf(to) }, nowMs);

  function answered(answer: SendAnswer, facts: Record<string, unknown>): ToolAnswer {
    switch (answer.kind) {
      case "reply":
        return {
          result: {
            status: "ok",
            ...facts,
            reply: answer.text,
            delivery: { status: "skipped", mode: "announce" },
          },
        };
      case "no_reply":
        return {
          result: { status: "no_reply", ...facts, message: "The turn ended without a word." },
        };
      case "failed":
        return {
          result: { status: "error", ...facts, error: answer.error, sentBeforeError: true },
        };
      case "pending":
        return {
          result: {
            status: "accepted",
            ...facts,
            delivery: { status: "pending", mode: "announce" },
          },
        };
    }
  }

  async function notify(requester: Requester, to: SessionKey, message: string, wish: Wish) {
    const done = await db.write(() => {
      const nowMs = clock.nowMs();
      const claimed = relays.next(requester.key, to, requester.chain(), nowMs);
      if (!claimed.ok) return claimed;
      const id = journal.enqueue(
        to,
        `Message from session "${requester.key}": ${message}`,
        null,
        nowMs,
      );
      return {
        ok: true as const,
        id,
        watched: wish.watch === true && watchNow(requester, to, nowMs),
      };
    });
    if (!done.ok) return refused("forbidden", done.error);
    return {
      result: {
        status: "queued",
        sessionKey: to,
        notificationId: String(done.id ?? ""),
        durability: "durable",
        runStarted: false,
        ...(wish.watch === undefined ? {} : { watched: done.watched }),
      },
    };
  }

  async function resume(
    requester: Requester,
    to: SessionKey,
    message: string,
  ): Promise<ToolAnswer> {
    const last = deps.childRunStore.last(to);
    if (last?.requesterKey !== requester.key)
      return refused("forbidden", "Only a child task of this session can be resumed.");
    if (last.endedAt === null) return refused("error", "That child task still runs.");
    const begun = await db.write(() => {
      const nowMs = clock.nowMs();
      const claimed = relays.next(requester.key, to, requester.chain(), nowMs);
      if (!claimed.ok) return claimed;
      const { chain } = claimed;
      const request = {
        requester: requester.key,
        task: message,
        label: last.label,
        timeoutMs: null,
      };
      return { ok: true as const, run: childRuns.begin({ ...request, chain, into: to }, nowMs) };
    });
    if (!begun.ok) return refused("forbidden", begun.error);
    childRuns.begun(begun.run);
    return {
      result: {
        status: "accepted",
        runId: begun.run.runId,
        sessionKey: to,
        targetDisposition: "queued",
      },
    };
  }

  async function send(
    requester: Requester,
    to: SessionKey,
    message: string,
    wish: Wish,
  ): Promise<ToolAnswer> {
    const waitMs = Math.min(wish.timeoutSeconds ?? defaultWait, longestWait) * 1000;
    if (to === requester.key && waitMs > 0)
      return refused("error", "A session cannot wait for its own answer; use timeoutSeconds 0.");
    let watched = false;
    const sent = await sends.send(
      { from: requester.key, to, text: message, waitMs, steer: wish.mode === "steer" },
      (nowMs) => relays.next(requester.key, to, requester.chain(), nowMs),
      (nowMs) => {
        if (wish.watch === true) watched = watchNow(requester, to, nowMs);
      },
    );
    if ("refused" in sent) return withWatched(refused("forbidden", sent.refused), wish);
    const facts = {
      runId: sent.runId,
      sessionKey: to,
      targetDisposition: sent.disposition,
      ...(wish.watch === undefined ? {} : { watched }),
    };
    return answered(await sent.answer, facts);
  }

  return tool({
    name: "sessions_send",
    title: "Send to a session",
    description:
      "Sends a message to the agent of another session and waits for its answer. It is told that it comes from this session, not from a person.",
    input,
    async run(requester, wish) {
      const message = messageOf(wish);
      if (wish.mode === "resume" && (wish.watch === true || (wish.timeoutSeconds ?? 0) > 0))
        throw new ToolInputError("resume takes neither watch nor a wait");
      let to: SessionKey;
      try {
        to = await targetOf(requester, wish);
      } catch (cause) {
        if (cause instanceof ToolInputError) throw cause;
        const { code, message: said } = toWire(cause);
        return withWatched(refused(code === "E_REFUSED" ? "forbidden" : "error", said), wish);
      }
      try {
        // Nobody runs turns for a client outside: it reads what waits with its next call.
        if (wish.mode === "notify" || routing.get(to)?.channelId === "mcp")
          return await notify(requester, to, message, wish);
        if (wish.mode === "resume") return await resume(requester, to, message);
        return await send(requester, to, message, wish);
      } catch (cause) {
        return withWatched(refused("error", toWire(cause).message), wish);
      }
    },
  });
}

/** Where it was asked for, a refusal says too that nothing is watched. */
const withWatched = (answer: ToolAnswer, wish: Wish): ToolAnswer =>
  wish.watch === undefined ? answer : { result: { ...answer.result, watched: false } };

import type { MessageRow, SessionRow } from "../../../core/contract/domain.ts";
import type { WireError } from "../../../core/contract/errors.ts";
import type { Pushes } from "../../../core/contract/bridge.ts";

/** The stages of one message's way through the gateway, in order. */
export const stages = ["accepted", "queued", "started", "reply", "delivered"] as const;
export type Stage = (typeof stages)[number];

/** One message under way. Times are milliseconds since it was sent, as the news of them came in here. */
export interface Journey {
  sentAtMs: number;
  /** Null: not there yet. `passed`: went through without stopping. */
  reached: Readonly<Record<Stage, number | "passed" | null>>;
  /** Of the answer, what has come so far. */
  answer: string;
  over: boolean;
  failure: { code: string; message: string } | null;
}

export type News =
  | { kind: "accepted" }
  | { kind: "refused"; error: WireError }
  | { kind: "row"; row: Pick<SessionRow, "state" | "queueDepth" | "error"> }
  | { kind: "text"; from: number; text: string }
  | { kind: "messages"; messages: readonly Pick<MessageRow, "role" | "text">[] }
  | { kind: "end"; outcome: Pushes["turn.end"]["outcome"] };

export const setOut = (sentAtMs: number): Journey => ({
  sentAtMs,
  reached: { accepted: null, queued: null, started: null, reply: null, delivered: null },
  answer: "",
  over: false,
  failure: null,
});

/** News of a later stage proves the earlier ones; the queue was then passed without a wait that could be seen. */
function reach(journey: Journey, stage: Stage, ms: number): Journey {
  if (journey.reached[stage] !== null) return journey;
  const before = stages.slice(0, stages.indexOf(stage));
  const reached = { ...journey.reached, [stage]: ms };
  for (const one of before) reached[one] ??= one === "queued" ? "passed" : ms;
  return { ...journey, reached };
}

/** The journey after one more piece of news, which came in at `atMs`. What is over stays as it was. */
export function travelled(journey: Journey, news: News, atMs: number): Journey {
  const ms = Math.max(0, atMs - journey.sentAtMs);
  // The reason of a failure stands in the session's row, which may come after the end of the turn.
  if (journey.over && news.kind === "row" && news.row.error !== null && journey.failure !== null)
    return { ...journey, failure: news.row.error };
  if (journey.over) return journey;
  switch (news.kind) {
    case "accepted":
      return reach(journey, "accepted", ms);
    case "refused":
      return { ...journey, over: true, failure: news.error };
    case "row":
      if (news.row.state === "running") return reach(journey, "started", ms);
      if (news.row.state === "queued" || news.row.queueDepth > 0)
        return reach(journey, "queued", ms);
      return journey;
    case "text": {
      const answer = journey.answer.slice(0, news.from) + news.text;
      return { ...reach(journey, "started", ms), answer };
    }
    case "messages":
      return news.messages.reduce<Journey>((so, { role, text }) => {
        if (role === "user") return reach(so, "started", ms);
        if (role === "assistant") return { ...reach(so, "reply", ms), answer: text };
        return so;
      }, journey);
    case "end":
      if (news.outcome === "completed" || news.outcome === "silent")
        return { ...reach(journey, "delivered", ms), over: true };
      return {
        ...reach(journey, "started", ms),
        over: true,
        failure: { code: "E_AGENT_FAILED", message: "" },
      };
  }
}

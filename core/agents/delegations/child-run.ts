import type { ChildOutcome } from "../../journal/producers.ts";
import type { TurnResult } from "../../turns/turn-result.ts";

export type ChildState = "queued" | "running" | "completed" | "failed" | "cancelled" | "timed_out";
export type ChildEnd = Exclude<ChildState, "queued" | "running">;

/** A task that a session gave to a child session (state-awareness 13). Times are epoch ms. */
export interface ChildRun {
  runId: string;
  childKey: string;
  requesterKey: string;
  /** The requester's incarnation; null where the requester has no lane (an MCP client). */
  requesterSessionId: string | null;
  label: string;
  task: string;
  state: ChildState;
  /** The waiting message that carries the task. */
  inputSeq: number | null;
  turnId: string | null;
  result: string | null;
  error: string | null;
  announced: "none" | "handed" | "dropped";
  droppedBecause: string | null;
  chainId: string | null;
  chainHops: number;
  createdAt: number;
  startedAt: number | null;
  deadlineAt: number | null;
  endedAt: number | null;
}

export const isOpen = (run: Pick<ChildRun, "state">): boolean =>
  run.state === "queued" || run.state === "running";

/** Children may have children, to this depth. */
export const maxDepth = 3;
/** Open runs of one requester. */
export const maxOpen = 8;

export const outcomeOf: Record<ChildEnd, ChildOutcome> = {
  completed: "ok",
  failed: "error",
  cancelled: "cancelled",
  timed_out: "timeout",
};

/**
 * How a turn's end ends its run; null while it goes on (a turn that was parked is taken up at the next start).
 * @param asked What was asked of the run before, by a person, its requester or its time limit.
 */
export function endOf(
  outcome: TurnResult["outcome"],
  asked: "cancelled" | "timed_out" | null,
): ChildEnd | null {
  switch (outcome) {
    case "parked":
      return asked;
    case "completed":
      return "completed";
    case "stopped":
      return asked ?? "cancelled";
    case "failed":
    case "interrupted":
      return "failed";
  }
}

const words: Record<ChildEnd, string> = {
  completed: "completed",
  failed: "failed",
  cancelled: "was cancelled",
  timed_out: "ran out of time",
};

/** What the requester is told, once. */
export function announcement(
  run: Pick<ChildRun, "label" | "childKey" | "runId" | "result" | "error">,
  end: ChildEnd,
): string {
  const body = [run.result ?? "", run.error ?? ""].filter((part) => part !== "").join("\n\n");
  const head = `Child run "${run.label}" ${words[end]} (session "${run.childKey}", run ${run.runId}).`;
  return body === "" ? head : `${head}\n\n${body}`;
}

/** What a start finds of a run that was open, and what becomes of it. */
export function afterRestart(found: {
  /** Its message waits still, or its turn will be taken up (perhaps once the breaker lets it). */
  goesOn: boolean;
  /** Its turn had answered before the gateway ended. */
  answered: boolean;
}): ChildEnd | null {
  if (found.goesOn) return null;
  return found.answered ? "completed" : "failed";
}

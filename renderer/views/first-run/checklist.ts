import type { AgentRow, ChannelRow } from "../../../core/contract/domain.ts";

export const steps = ["data", "channel", "agent", "test"] as const;
export type Step = (typeof steps)[number];

/** What the operator said about a step; the rest is read from what is there. */
export type Said = "done" | "skipped";
export type StepState = Said | "open";

/** What is kept in this browser. */
export interface Kept {
  said: Readonly<Partial<Record<Step, Said>>>;
  dismissed: boolean;
}

export const nothingKept: Kept = { said: {}, dismissed: false };

/** Reads what was kept; anything else is as if nothing had been. */
export function readKept(text: string | null): Kept {
  try {
    const kept: unknown = JSON.parse(text ?? "null");
    if (typeof kept !== "object" || kept === null) return nothingKept;
    const { said, dismissed } = kept as { said?: unknown; dismissed?: unknown };
    const spoken = typeof said === "object" && said !== null ? said : {};
    const known = steps.flatMap((step) => {
      const word: unknown = (spoken as Record<string, unknown>)[step];
      return word === "done" || word === "skipped" ? [[step, word] as const] : [];
    });
    return { said: Object.fromEntries(known), dismissed: dismissed === true };
  } catch {
    return nothingKept;
  }
}

export interface Facts {
  channels: readonly ChannelRow[];
  agents: readonly AgentRow[];
}

/** How far each step is: what the operator said, else what can be seen. */
export function stepStates({ said }: Kept, { channels, agents }: Facts): Record<Step, StepState> {
  const hasChannel = channels.some((row) => row.kind === "webhook" || row.messagesIn > 0);
  const answers = agents.some(
    (row) => row.isDefault && row.runtime !== "practice" && row.probe.state === "ok",
  );
  return {
    data: said.data ?? "open",
    channel: said.channel ?? (hasChannel ? "done" : "open"),
    agent: said.agent ?? (answers ? "done" : "open"),
    test: said.test ?? "open",
  };
}

/**
 * Whether the checklist is on the Overview: until it is complete or put away, and not for somebody
 * whose gateway has answered messages before and who never began it.
 */
export function isShown(
  kept: Kept,
  states: Record<Step, StepState>,
  hasAnswered: boolean,
): boolean {
  if (kept.dismissed) return false;
  if (steps.every((step) => states[step] !== "open")) return false;
  return !hasAnswered || Object.keys(kept.said).length > 0;
}

/**
 * Scenarios in which this build differs from the vectors on purpose, each with its reason. Only those that the vectors
 * mark as open to it, or whose one difference is that our notices survive what loses the reference's.
 */
export interface Deviation {
  readonly because: string;
  /** The steps that may differ, by their index, with what this build gives. */
  readonly steps: Readonly<Record<number, unknown>>;
}

const notice =
  'Session "agent:main:subagent:child" changed (other actor). Reconcile before acting: session_status sessionKey "agent:main:subagent:child" changesSince 1.';
const notes = Array.from({ length: 20 }, (_, index) => `note ${index}`);

export const deviations: Readonly<Record<string, Deviation>> = {
  "queue-holds-twenty-events": {
    because:
      "Notices are durable rows and do not count against the cap of 20 ordinary lines (state-awareness 6.2, decision 8): the oldest entry here is the notice, and it stays.",
    steps: { 22: [notice, ...notes], 24: [notice, ...notes] },
  },
};

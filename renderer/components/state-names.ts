import type {
  AgentRow,
  ChannelRow,
  GatewayStatus,
  MessageRow,
  SessionState,
} from "../../core/contract/domain.ts";
import type { LinkState } from "../../core/contract/bridge.ts";

export type StateName =
  | SessionState
  | ChannelRow["state"]
  | GatewayStatus["state"]
  | NonNullable<MessageRow["delivery"]>
  | AgentRow["probe"]["state"]
  | Exclude<LinkState, "up">;

export type GlyphName =
  | "square"
  | "triangle"
  | "question"
  | "pause"
  | "disc"
  | "quarter"
  | "again"
  | "ring"
  | "check"
  | "hollow-square"
  | "dash";

type Colour =
  | "stuck"
  | "failed"
  | "waiting"
  | "suspended"
  | "running"
  | "queued"
  | "resume-pending"
  | "idle"
  | "ok";

/** How each state looks: always a glyph, a word (`state.` in the locales) and a colour together (ux.md 6). */
export const stateLooks: Record<StateName, { glyph: GlyphName; colour: Colour }> = {
  stuck: { glyph: "square", colour: "stuck" },
  failed: { glyph: "triangle", colour: "failed" },
  waiting: { glyph: "question", colour: "waiting" },
  suspended: { glyph: "pause", colour: "suspended" },
  running: { glyph: "disc", colour: "running" },
  queued: { glyph: "quarter", colour: "queued" },
  resume_pending: { glyph: "again", colour: "resume-pending" },
  idle: { glyph: "ring", colour: "idle" },
  up: { glyph: "check", colour: "ok" },
  ok: { glyph: "check", colour: "ok" },
  delivered: { glyph: "check", colour: "ok" },
  starting: { glyph: "quarter", colour: "queued" },
  connecting: { glyph: "quarter", colour: "queued" },
  draining: { glyph: "quarter", colour: "running" },
  pending: { glyph: "quarter", colour: "queued" },
  attempting: { glyph: "disc", colour: "running" },
  down: { glyph: "triangle", colour: "failed" },
  lost: { glyph: "triangle", colour: "failed" },
  degraded: { glyph: "triangle", colour: "waiting" },
  read_only: { glyph: "pause", colour: "waiting" },
  stopped: { glyph: "hollow-square", colour: "idle" },
  abandoned: { glyph: "hollow-square", colour: "failed" },
  unknown: { glyph: "question", colour: "waiting" },
  unchecked: { glyph: "ring", colour: "idle" },
  suppressed: { glyph: "dash", colour: "idle" },
};

import { SignalboxError } from "../../contract/errors.ts";
import type { SessionKey } from "../../contract/ids.ts";
import type { InboundMessage } from "../../channels/channel.ts";
import type { Clock } from "../../clock.ts";
import type { Log } from "../../log/log.ts";
import type { Approval } from "../../sessions/approval-store.ts";
import type { SessionDirectory } from "../../sessions/session-directory.ts";
import type { Database } from "../../state/database.ts";
import type { Command, ParsedText } from "../command-parse.ts";
import { senderRef } from "../inbound-json.ts";
import type { Asked } from "./asked.ts";
import { bareAnswer } from "./bare-answer.ts";
import type { Answer } from "./bare-answer.ts";

export interface ConfirmationDeps {
  db: Database;
  directory: SessionDirectory;
  clock: Clock;
  log: Log;
  /** Whether destructive commands ask first (`approvals.destructive_slash_confirm`). */
  asksFirst(): boolean;
  /** Never asks again, from any chat. @throws {SignalboxError} E_CONFIG, E_READ_ONLY. */
  stopAsking(): void;
  /** An agent's question was answered. */
  onAnswered(approval: Approval, answer: Answer): void;
}

/** How long a question waits, in ms; after that its answer is an ordinary message again. */
export const questionLifetimeMs = 10 * 60_000;

export type Confirmations = ReturnType<typeof createConfirmations>;

/** Questions before destructive commands, and the answers to whatever waits for one (lifecycle 6.1, 12.3, 18). */
export function createConfirmations(deps: ConfirmationDeps) {
  const { db, directory, clock } = deps;
  const { approvals } = directory;

  /** The newest question of the lane that this person may answer. */
  const waiting = (key: SessionKey, sender: string): Approval | undefined =>
    approvals
      .open(key, clock.nowMs())
      .find((approval) => approval.askedOf === null || approval.askedOf === sender);

  return {
    asksFirst: () => deps.asksFirst(),

    /** Asks; the same question asked again replaces the one that waits. Returns the words for the person. */
    async ask(asked: Asked, command: Command, question: string): Promise<string> {
      await db.write(() => {
        const nowMs = clock.nowMs();
        const row = directory.routing.get(asked.key);
        if (!row) throw new SignalboxError("E_NOT_FOUND", "There is no session with this key.");
        approvals.expire(nowMs);
        approvals.supersede(asked.key, "destructive", nowMs);
        approvals.ask({
          sessionKey: asked.key,
          sessionId: row.sessionId,
          kind: "destructive",
          question,
          subject: command,
          askedOf: senderRef(asked.message),
          askedAt: nowMs,
          expiresAt: nowMs + questionLifetimeMs,
        });
      });
      return `${question}\nAnswer yes (this once), always (never ask again) or cancel.`;
    },

    /** A bare “yes”, “no”, “always” … while a question waits for this person is the answer to it. */
    asAnswer(key: SessionKey, message: InboundMessage): ParsedText | null {
      if (message.internal === true) return null;
      const answer = bareAnswer(message.text);
      if (answer === null || !waiting(key, senderRef(message))) return null;
      const command: Command =
        answer === "deny" ? { name: "deny", answer: null } : { name: "approve", answer };
      return { kind: "command", command };
    },

    /** A person went on without answering: the question falls. Part of the caller's transaction. */
    heard(key: SessionKey, message: InboundMessage, nowMs: number): void {
      if (message.internal !== true && waiting(key, senderRef(message))?.kind === "destructive")
        approvals.supersede(key, "destructive", nowMs);
    },

    /**
     * `/approve`, `/deny`, or a bare answer.
     * @returns the command that may run now, or the line that ends the matter.
     */
    async answer(asked: Asked, answer: Answer): Promise<{ run: Command } | { line: string }> {
      const approval = waiting(asked.key, senderRef(asked.message));
      if (!approval) return { line: "Nothing waits for an answer here." };
      const taken = await this.settle(approval, answer, asked.actor);
      if (!taken) return { line: "That was answered already." };
      if (approval.kind !== "destructive")
        return { line: answer === "deny" ? "Denied." : "Approved." };
      if (answer === "deny") return { line: "Left as it was." };
      return { run: JSON.parse(approval.subjectJson) as Command };
    },

    /** Records an answer, whoever gives it; false where the question no longer waits. */
    async settle(approval: Approval, answer: Answer, actor: string): Promise<boolean> {
      const state = answer === "deny" ? "denied" : answer;
      const taken = await db.write(() => {
        const nowMs = clock.nowMs();
        const first = approvals.answer(approval.approvalId, state, actor, nowMs);
        directory.routing.settleState(approval.sessionKey, nowMs);
        return first;
      });
      if (!taken) return false;
      if (approval.kind === "destructive" && answer === "always") {
        try {
          deps.stopAsking();
        } catch (cause) {
          deps.log.warn("approval.not_saved", { sessionKey: approval.sessionKey }, cause);
        }
      }
      deps.onAnswered(approval, answer);
      return true;
    },

    /** An open question by its id. @throws {SignalboxError} E_NOT_FOUND, E_EXPIRED. */
    openById(id: string): Approval {
      const approval = approvals.get(id);
      if (!approval)
        throw new SignalboxError("E_NOT_FOUND", "There is no such question.", { field: "id" });
      if (approval.state !== "open" || approval.expiresAt <= clock.nowMs())
        throw new SignalboxError("E_EXPIRED", "This question no longer waits for an answer.", {
          field: "id",
        });
      return approval;
    },
  };
}

import { AsyncLocalStorage } from "node:async_hooks";
import type { Clock } from "../clock.ts";
import type { Database } from "../state/database.ts";
import type { InboxStore } from "./inbox-store.ts";

const acting = new AsyncLocalStorage<() => void>();

/**
 * Says on disk that the command under way has been acted on; undefined where none is. Called inside the transaction that
 * makes the command's change, so that a crash leaves both or neither: a redelivered `/undo` undoes nothing twice.
 */
export const actedOn = (): (() => void) | undefined => acting.getStore();

/**
 * Acts on each command once. Its message is on disk as begun; only when it was acted on is it ended, so that a platform's
 * redelivery after a crash acts on it, and any other does not.
 */
export function createCommandOnce(deps: { db: Database; inbox: InboxStore; clock: Clock }) {
  const { db, inbox, clock } = deps;
  const running = new Map<number, Promise<string | null>>();

  return (inputId: number, act: () => Promise<string | null>): Promise<string | null> => {
    const earlier = running.get(inputId);
    if (earlier) return earlier; // redelivered while it is being acted on: the same answer
    const end = (): void => {
      inbox.endCommand(inputId, clock.nowMs());
    };
    const mine = (async () => {
      const reply = await acting.run(end, act);
      await db.write(end);
      return reply;
    })().finally(() => {
      running.delete(inputId);
    });
    running.set(inputId, mine);
    return mine;
  };
}

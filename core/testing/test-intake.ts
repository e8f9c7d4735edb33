import type { InboundMessage } from "../channels/channel.ts";
import type { SessionKey } from "../contract/ids.ts";
import { createBus } from "../live/bus.ts";
import { createIntake } from "../turns/intake.ts";
import type { IntakeDeps } from "../turns/intake.ts";
import { manualClock } from "./manual-clock.ts";
import { defaultRules } from "./samples.ts";
import { testStores } from "./test-database.ts";

/** A bus whose listeners may not fail. */
export const testBus = () =>
  createBus((name, cause) => {
    throw new Error(`a listener of ${name} failed`, { cause });
  });

/** An intake on real stores that remembers whom it told what; nothing serves its lanes. */
export function testIntake(part: Partial<IntakeDeps> = {}) {
  const stores = testStores();
  const clock = manualClock();
  const bus = testBus();
  const woken: SessionKey[] = [];
  const interrupted: InboundMessage[] = [];
  const commands: string[] = [];
  const intake = createIntake({
    db: stores.db,
    directory: stores.directory,
    inbox: stores.inbox,
    bus,
    clock,
    keyRules: () => defaultRules,
    burst: () => ({ gapMs: -1, capMs: -1 }), // every text is its own
    wake: (key) => woken.push(key),
    command: (parsed) => {
      commands.push(parsed.kind);
      return Promise.resolve(`did ${parsed.kind}`);
    },
    onBusy: (_key, message) => {
      interrupted.push(message);
      return undefined;
    },
    onAccepted: () => undefined,
    ...part,
  });
  return { ...stores, clock, bus, intake, woken, interrupted, commands };
}

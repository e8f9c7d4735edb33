import { createGateway } from "../../gateway.ts";
import { asSessionKey } from "../../contract/ids.ts";
import type { SessionKey } from "../../contract/ids.ts";

/**
 * A gateway whose sessions watch each other and change without end, to be killed: parents spawn children, people write
 * to both, goals change. `signals-worker.ts DIR settle` does nothing of it and ends once all is quiet.
 */
const [dataDir, mode] = process.argv.slice(2);
if (dataDir === undefined) throw new Error("Usage: signals-worker.ts DIR [settle]");
const gateway = createGateway({ dataDir, host: "embedded", discoverAgents: false });
await gateway.start();
process.stdout.write("ready\n");

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const pick = <T>(from: readonly T[]): T | undefined =>
  from[Math.floor(Math.random() * from.length)];

async function quiet(): Promise<boolean> {
  const { counts } = await gateway.call("gateway.status", {});
  if (counts.running > 0 || counts.queued > 0) return false;
  const { pairs } = await gateway.call("watchers.list", { limit: 500 });
  const { sessions } = await gateway.call("sessions.list", {
    limit: 500,
    filter: "state:suspended,stuck",
  });
  const asleep = new Set<string>(sessions.map((row) => row.key));
  return pairs.every(
    (pair) =>
      !pair.pending || asleep.has(pair.watcherKey) || pair.watcherKey.includes(":subagent:"),
  );
}

if (mode === "settle") {
  await gateway.call("recovery.release", {}); // so many kills in a row: interrupted turns are held back
  const until = Date.now() + 180_000; // a parent that was woken often is left alone for a minute
  while (!(await quiet())) {
    if (Date.now() > until) throw new Error("It never became quiet.");
    await pause(20);
  }
  await gateway.stop("settled");
  process.exit(0);
}

const parents: SessionKey[] = [];
const { sessions } = await gateway.call("sessions.list", { limit: 500 });
for (const row of sessions) if (!row.key.includes(":subagent:")) parents.push(row.key);
while (parents.length < 4)
  parents.push((await gateway.call("sessions.create", { title: `parent ${parents.length}` })).key);

const children = async (): Promise<SessionKey[]> =>
  (await gateway.call("children.list", { limit: 100 })).children.map((run) =>
    asSessionKey(run.childKey),
  );

let operation = 0;
async function act(): Promise<void> {
  const parent = pick(parents);
  const child = pick(await children());
  if (!parent) return;
  const roll = Math.random();
  if (!child || roll < 0.12) await gateway.call("children.spawn", { key: parent, task: "work" });
  else if (roll < 0.5) await gateway.call("sessions.send", { key: child, text: "a word" });
  else if (roll < 0.6) await gateway.call("sessions.send", { key: parent, text: "and you?" });
  else if (roll < 0.65)
    await gateway.call("watchers.start", { watcherKey: parent, targetKey: child });
  else {
    const operationId = `${process.pid}-${(operation += 1)}`;
    const issuedAtMs = Date.now();
    const { goal } = await gateway.call("goals.get", { key: child });
    if (!goal)
      await gateway.call("goals.start", {
        key: child,
        operationId,
        issuedAtMs,
        objective: "be green",
      });
    else
      await gateway.call("goals.update", {
        key: child,
        operationId,
        issuedAtMs,
        goalId: goal.goalId,
        action: goal.status === "paused" ? "resume" : "pause",
      });
  }
}
for (;;) {
  await act().catch(() => undefined); // a full queue, a goal that another changed
  await pause(Math.random() * 8);
}

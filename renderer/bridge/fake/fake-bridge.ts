import type { Bridge, PushName, Pushes, Reply } from "../../../core/contract/bridge.ts";
import type { CallInput, CallName, CallOutput } from "../../../core/contract/calls.ts";
import type { Receipt, SessionRow } from "../../../core/contract/domain.ts";
import { SignalboxError, toWire } from "../../../core/contract/errors.ts";
import { asSessionId, asSessionKey, asTurnId } from "../../../core/contract/ids.ts";
import { pushHub } from "../push-hub.ts";
import { detailOf, historyOf, listSessions, rowOf } from "./fake-sessions.ts";
import { countsOf, fakeWorld, statusOf, transcriptOf, type FakeWorld } from "./fake-world.ts";
import { fakeMachinery } from "./fake-machinery.ts";
import type { FakeSeed } from "./fake-seed.ts";

export interface FakeOptions {
  nowMs: () => number;
  after: (ms: number, fn: () => void) => () => void;
  /** How long a call takes. Default 0: answered in the same turn of the event loop. */
  answerMs?: number;
}

/** A bridge with a whole made-up gateway behind it, and the strings a test pulls. */
export interface FakeBridge extends Bridge {
  world: FakeWorld;
  /** Every call made, in order. */
  calls: { name: CallName; input: unknown }[];
  /** Pushes as the gateway would, with the next number. */
  push<P extends PushName>(name: P, payload: Pushes[P]): void;
  /** Loses the next `count` pushes on the way. */
  lose(count: number): void;
  /** Breaks or restores the link. */
  link(state: "up" | "lost"): void;
  /** The next call of this name fails with this code. */
  failNext(name: CallName, code: "E_STORE_BUSY" | "E_NOT_FOUND" | "E_QUEUE_FULL"): void;
}

/** Areas whose screens are not here yet need no answers: such a call is told that there is none. */
type Answers = { [N in CallName]?: (input: CallInput<N>) => CallOutput<N> };
const UNDO_MS = 10_000;

/** A gateway made up from a seed, for component tests and demonstrations. Sends nothing anywhere. */
export function fakeBridge(seed: FakeSeed, options: FakeOptions): FakeBridge {
  const { nowMs, after, answerMs = 0 } = options;
  const hub = pushHub();
  const world = fakeWorld(seed);
  const made: FakeBridge["calls"] = [];
  const failures = new Map<CallName, "E_STORE_BUSY" | "E_NOT_FOUND" | "E_QUEUE_FULL">();
  let seq = 0;
  let losing = 0;
  let up = true;
  let nextInput = 1;

  const push = <P extends PushName>(name: P, payload: Pushes[P]) => {
    seq += 1;
    if (losing > 0) losing -= 1;
    else if (up) hub.deliver({ seq, bootId: "fake-boot", name, payload });
  };
  const change = (row: SessionRow, changes: Partial<SessionRow>): SessionRow => {
    const next = { ...row, ...changes, updatedAtMs: nowMs() };
    world.rows.set(row.key, next);
    push("sessions.delta", { upserts: [next], removed: [], counts: countsOf(world) });
    push("gateway.status", statusOf(world, nowMs()));
    return next;
  };
  const receipt = (row: SessionRow, changed: boolean, undo: boolean): Receipt => ({
    key: row.key,
    changed,
    undoUntilMs: undo ? nowMs() + UNDO_MS : null,
    row,
  });
  const add = (row: SessionRow, role: "user" | "assistant", text: string, cut?: string) => {
    const transcript = transcriptOf(world, row);
    const message = {
      id: (transcript.at(-1)?.id ?? 0) + 1,
      sessionId: row.sessionId,
      role,
      text,
      from: role === "user" ? "You" : (row.agentId ?? "practice"),
      atMs: nowMs(),
      turnId: null,
      cut: cut ?? null,
      tools: [],
      textBytes: text.length,
      delivery: role === "user" ? null : ("delivered" as const),
    };
    transcript.push(message);
    push("transcript.append", { key: row.key, sessionId: row.sessionId, messages: [message] });
  };
  const finish = (key: string, outcome: "completed" | "stopped") => {
    const live = world.live.get(key);
    if (live === undefined) return;
    world.live.delete(key);
    const row = rowOf(world, key);
    add(row, "assistant", live.text, outcome === "stopped" ? "stopped" : undefined);
    push("turn.end", { key: row.key, turnId: asTurnId(live.id), outcome });
    change(row, {
      state: "idle",
      stateSinceMs: nowMs(),
      turnStartedAtMs: null,
      messageCount: row.messageCount + 1,
      turnCount: row.turnCount + 1,
    });
  };
  /** Types the reply word by word, as a model would. */
  const reply = (key: string, words: string[], turn: string) => {
    const live = world.live.get(key);
    if (live?.id !== turn) return;
    const word = words[0];
    if (word === undefined) {
      finish(key, "completed");
      return;
    }
    const from = live.text.length;
    const text = from === 0 ? word : ` ${word}`;
    live.text += text;
    const row = rowOf(world, key);
    push("turn.text", { key: row.key, turnId: asTurnId(turn), from, text, tool: null });
    after(60, () => {
      reply(key, words.slice(1), turn);
    });
  };

  const send = ({ key, text }: CallInput<"sessions.send">): CallOutput<"sessions.send"> => {
    const row = rowOf(world, key);
    const inputId = nextInput;
    nextInput += 1;
    add(row, "user", text);
    const turn = `turn${inputId}`;
    world.live.set(key, { id: turn, startedAtMs: nowMs(), text: "" });
    change(row, { state: "running", stateSinceMs: nowMs(), turnStartedAtMs: nowMs() });
    after(200, () => {
      reply(key, `You said: ${text}`.split(" "), turn);
    });
    return { key: row.key, accepted: true, duplicate: false, inputId, reply: null };
  };

  const answers = {
    "gateway.status": () => statusOf(world, nowMs()),
    "gateway.stop": () => ({ draining: true, running: 0 }),
    "sessions.list": (input) => listSessions(world, input, nowMs()),
    "sessions.get": ({ key }) => detailOf(world, key),
    "sessions.history": (input) => historyOf(world, input),
    "sessions.create": ({ title }) => {
      const id = `new${world.rows.size}`;
      const row: SessionRow = {
        ...(world.rows.values().next().value ?? blank(nowMs())),
        ...blank(nowMs()),
        key: asSessionKey(`agent:main:local:dm:${id}`),
        sessionId: asSessionId(`fresh_${id}`),
        title: title ?? "",
      };
      world.transcripts.set(row.key, []);
      return receipt(change(row, {}), true, false);
    },
    "sessions.send": send,
    "sessions.suspend": ({ key }) => {
      const row = rowOf(world, key);
      if (row.state === "suspended") return receipt(row, false, false);
      return receipt(change(row, { state: "suspended", stateSinceMs: nowMs() }), true, true);
    },
    "sessions.unsuspend": ({ key }) => {
      const row = rowOf(world, key);
      if (row.state !== "suspended" && row.state !== "stuck") return receipt(row, false, false);
      return receipt(change(row, { state: "idle", stateSinceMs: nowMs() }), true, true);
    },
    "sessions.reset": ({ key }) => {
      const row = rowOf(world, key);
      world.transcripts.set(key, []);
      world.waiting.delete(key);
      world.live.delete(key);
      const fresh = {
        state: "idle",
        stateSinceMs: nowMs(),
        queueDepth: 0,
        messageCount: 0,
      } as const;
      const sessionId = asSessionId(`${row.sessionId}x`);
      return receipt(change(row, { ...fresh, sessionId, turnStartedAtMs: null }), true, false);
    },
    "sessions.resetPreview": ({ key }) => {
      const row = rowOf(world, key);
      return {
        waitingDropped: row.queueDepth,
        runningSinceMs: row.turnStartedAtMs,
        messageCount: row.messageCount,
      };
    },
    "sessions.stop": ({ key }) => {
      const row = rowOf(world, key);
      const running = row.state === "running";
      if (world.live.has(key)) finish(key, "stopped");
      else if (running) change(row, { state: "idle", turnStartedAtMs: null });
      return { key: row.key, stopped: running, message: running ? "Stopped." : "Nothing ran." };
    },
    "sessions.watch": ({ keys }) => ({ watching: keys.length }),
    "channels.simulate": ({ source, text }) => {
      const chat = String(source.chat_id);
      const told = (name: string) => (typeof source[name] === "string" ? source[name] : "");
      const key = asSessionKey(`agent:main:${source.platform}:${told("chat_type")}:${chat}`);
      if (!world.rows.has(key))
        world.rows.set(key, {
          ...blank(nowMs()),
          key,
          sessionId: asSessionId(`fresh_${chat}`),
          platform: source.platform,
          channelId: "simulator",
          title: told("user_name"),
        });
      return send({ key, text });
    },
    ...fakeMachinery({ world, nowMs, push }),
    "notices.list": ({ before, limit = 50 }) => ({
      notices: world.notices
        .filter((one) => before === undefined || one.id < before)
        .slice(0, limit),
      unseen: unseen(world),
    }),
    "notices.seen": ({ through }) => {
      world.notices = world.notices.map((one) =>
        one.id <= through ? { ...one, seen: true } : one,
      );
      return { unseen: unseen(world) };
    },
    "logs.tail": ({ sessionKey, limit = 200 }) => ({
      lines: world.logs
        .filter((line) => sessionKey === undefined || line.sessionKey === sessionKey)
        .slice(-limit),
    }),
  } satisfies Answers;
  const answered = <N extends CallName>(name: N) => {
    const answer = (answers as Answers)[name];
    if (answer === undefined)
      throw new SignalboxError("E_UNKNOWN_CALL", `The fake gateway has no answer to ${name}.`);
    return answer;
  };

  after(0, () => {
    hub.link("up");
  });
  return {
    world,
    calls: made,
    on: hub.on,
    onLink: hub.onLink,
    push,
    lose(count) {
      losing += count;
    },
    link(state) {
      up = state === "up";
      if (up) seq = 0;
      hub.link(state);
    },
    failNext(name, code) {
      failures.set(name, code);
    },
    call<N extends CallName>(name: N, input: CallInput<N>): Promise<Reply<CallOutput<N>>> {
      made.push({ name, input });
      return new Promise((resolve) => {
        const answer = () => {
          resolve(run(name, () => answered(name)(input)));
        };
        if (answerMs === 0) answer();
        else after(answerMs, answer);
      });
    },
  };

  function run<T>(name: CallName, work: () => T): Reply<T> {
    try {
      const code = failures.get(name);
      failures.delete(name);
      if (code !== undefined) throw new SignalboxError(code, "The test asked for this failure.");
      return { ok: true, value: work() };
    } catch (thrown) {
      return { ok: false, error: toWire(thrown) };
    }
  }
}

const unseen = (world: FakeWorld): number => world.notices.filter((one) => !one.seen).length;

function blank(nowMs: number): SessionRow {
  return {
    key: asSessionKey("agent:main:local:dm:blank"),
    sessionId: asSessionId("blank"),
    title: "",
    platform: "local",
    channelId: "local",
    chatType: "dm",
    state: "idle",
    stateSinceMs: nowMs,
    queueDepth: 0,
    agentId: null,
    messageCount: 0,
    turnCount: 0,
    inputTokens: 0,
    outputTokens: 0,
    totalTokens: 0,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
    turnStartedAtMs: null,
    error: null,
  };
}

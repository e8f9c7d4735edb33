import type { Clock } from "../clock.ts";
import { SignalboxError } from "../contract/errors.ts";
import { parsePractice, type PracticeAct } from "./practice-words.ts";
import { practiceSummary } from "./practice-summary.ts";
import type {
  Agent,
  AgentEvent,
  AgentRuntime,
  SteerInput,
  SummaryRequest,
  TurnRequest,
} from "./runtime.ts";

export interface PracticeOptions {
  clock: Clock;
  /** Default `practice`. */
  id?: string;
  /** Pause between the deltas of `!stream`, in milliseconds of the clock, so that a person sees it stream. Default 10. */
  streamPauseMs?: number;
}

const STREAM_WORDS_PER_DELTA = 4;
const ANSWER_DELTAS = 3;
const vocabulary = "the signal at the junction is clear and the next train may pass".split(" ");

/**
 * The built-in agent that needs no network and no account: it answers `You said: <text>` and obeys the words of
 * `parsePractice`. The same request always gives the same events.
 *
 * `!hang` ignores the signal on purpose: the pending `next()` never settles, so a caller races it and walks away.
 */
export function createPracticeRuntime(options: PracticeOptions): AgentRuntime {
  return {
    id: options.id ?? "practice",
    runtime: "practice",
    baseUrl: null,
    model: "practice",
    hasKey: false,
    createAgent: () => createPracticeAgent(options.clock, options.streamPauseMs ?? 10),
    summarize: (request, signal) => summarize(options.clock, request, signal),
    probe: () =>
      Promise.resolve({
        state: "ok",
        atMs: options.clock.nowMs(),
        ms: 0,
        models: ["practice"],
        code: null,
        message: null,
      }),
  };
}

/** `!sleep` and `!fail` at the start of the focus are obeyed, so that a slow and a failed summary can be tried. */
async function summarize(
  clock: Clock,
  { history, focus }: SummaryRequest,
  signal: AbortSignal,
): Promise<string> {
  const { acts, rest } = parsePractice(focus ?? "");
  for (const act of acts) {
    if (act.kind === "sleep") await pause(clock, act.ms, signal);
    if (act.kind === "fail")
      throw new SignalboxError(
        "E_AGENT_FAILED",
        act.reason || "The practice agent was told to fail.",
      );
    if (act.kind === "silent") return "";
  }
  stopIfAborted(signal);
  return practiceSummary(history, rest);
}

function createPracticeAgent(clock: Clock, streamPauseMs: number): Agent {
  let kept: Uint8Array[] = [];
  let busy = false;
  let toolsLeft = 0;
  let handedIn: SteerInput[] = [];

  async function* obey(act: PracticeAct, request: TurnRequest, signal: AbortSignal, nth: number) {
    switch (act.kind) {
      case "sleep":
        await pause(clock, act.ms, signal);
        return;
      case "fail":
        throw new SignalboxError(
          "E_AGENT_FAILED",
          act.reason || "The practice agent was told to fail.",
        );
      case "size":
        // Filled, so that the pages are really resident and memory pressure can be seen.
        kept.push(new Uint8Array(act.bytes).fill(1));
        return;
      case "tool":
        yield* practiceTool(act, request, nth);
        return;
      case "call":
        yield* callTool(act, request, signal, nth);
        return;
      case "hang":
        await new Promise<never>(() => undefined);
        return;
      case "silent":
      case "stream":
        return; // they shape the answer, after every act is done
    }
  }

  async function* turn(request: TurnRequest, signal: AbortSignal): AsyncGenerator<AgentEvent> {
    const asked = askedIn(request);
    const { acts, rest } = parsePractice(asked);
    const added: string[] = [];
    handedIn = [];
    toolsLeft = acts.filter((act) => act.kind === "tool" || act.kind === "call").length;
    for (const [nth, act] of acts.entries()) {
      for await (const event of obey(act, request, signal, nth)) {
        stopIfAborted(signal);
        yield event;
      }
      if (act.kind !== "tool" && act.kind !== "call") continue;
      toolsLeft -= 1;
      const taken = handedIn.splice(0);
      added.push(...taken.map((input) => input.text));
      for (const input of taken) yield { type: "steered" as const, ...input };
    }
    const answer = answerOf(acts, rest, added);
    for (const delta of answer.deltas) {
      if (answer.paced) await pause(clock, streamPauseMs, signal);
      stopIfAborted(signal);
      yield { type: "text", delta };
    }
    stopIfAborted(signal);
    yield {
      type: "end",
      state: "complete",
      finish: "stop",
      usage: usageOf(request, answer.deltas.join("")),
      model: request.model ?? "practice",
    };
  }

  return {
    async *run(request, signal) {
      if (busy)
        throw new SignalboxError("E_BUSY", "This agent is still in a turn; one runs at a time.");
      busy = true;
      try {
        stopIfAborted(signal);
        yield* turn(request, signal);
      } finally {
        busy = false;
        toolsLeft = 0;
      }
    },
    steer(input) {
      if (!busy || toolsLeft === 0) return false;
      handedIn.push(input);
      return true;
    },
    liveBytes: () => kept.reduce((sum, block) => sum + block.byteLength, 0),
    release() {
      kept = [];
      return Promise.resolve();
    },
  };
}

/**
 * What the turn is about. A resumed turn has no text of its own: it answers what the person asked before the
 * interruption. A turn that only lines of the gateway began has nothing to answer.
 */
function askedIn({ text, wake, history }: TurnRequest): string {
  if (text !== "") return text;
  if (wake === true) return "!silent";
  return history.findLast((message) => message.role === "user")?.text ?? "";
}

async function* callTool(
  act: { name: string; args: unknown },
  request: TurnRequest,
  signal: AbortSignal,
  nth: number,
): AsyncGenerator<AgentEvent> {
  const id = `call_${request.turnId}_${nth}`;
  yield { type: "tool-call", call: { id, name: act.name, args: act.args } };
  const { output, failed } = (await request.tools?.call(act.name, act.args, signal)) ?? {
    output: `There is no tool named "${act.name}".`,
    failed: true,
  };
  yield { type: "tool-result", callId: id, name: act.name, output, failed };
}

function* practiceTool(
  act: { name: string; bytes: number },
  request: TurnRequest,
  nth: number,
): Generator<AgentEvent> {
  const id = `call_${request.turnId}_${nth}`;
  yield { type: "tool-call", call: { id, name: act.name, args: { bytes: act.bytes } } };
  yield {
    type: "tool-result",
    callId: id,
    name: act.name,
    output: "x".repeat(act.bytes),
    failed: false,
  };
}

/** `!silent` outranks `!stream`; the last `!stream` counts, and its words are the whole answer. */
function answerOf(
  acts: readonly PracticeAct[],
  rest: string,
  added: readonly string[],
): { deltas: string[]; paced: boolean } {
  const { deltas, paced } = mainAnswer(acts, rest);
  if (acts.some((act) => act.kind === "silent")) return { deltas, paced };
  return { deltas: [...deltas, ...added.map((text) => `\nYou added: ${text}`)], paced };
}

function mainAnswer(
  acts: readonly PracticeAct[],
  rest: string,
): { deltas: string[]; paced: boolean } {
  if (acts.some((act) => act.kind === "silent")) return { deltas: ["[SILENT]"], paced: false };
  const stream = acts.findLast((act) => act.kind === "stream");
  if (stream) return { deltas: streamedWords(stream.words), paced: true };
  return {
    deltas: inPieces(rest ? `You said: ${rest}` : "You said:", ANSWER_DELTAS),
    paced: false,
  };
}

function streamedWords(count: number): string[] {
  const deltas: string[] = [];
  for (let at = 0; at < count; at += STREAM_WORDS_PER_DELTA) {
    const length = Math.min(STREAM_WORDS_PER_DELTA, count - at);
    const piece = Array.from({ length }, (_, i) => vocabulary[(at + i) % vocabulary.length]);
    deltas.push((at > 0 ? " " : "") + piece.join(" "));
  }
  return deltas;
}

/** Cuts between code points, never inside a surrogate pair. */
function inPieces(text: string, pieces: number): string[] {
  const deltas: string[] = [];
  let start = 0;
  for (let piece = 1; piece <= pieces; piece++) {
    let end = Math.round((text.length * piece) / pieces);
    if (/[\uDC00-\uDFFF]/.test(text.charAt(end))) end++;
    if (end > start) deltas.push(text.slice(start, end));
    start = Math.max(start, end);
  }
  return deltas;
}

/** A token is a word here; what matters is that the same turn always costs the same. */
function usageOf(request: TurnRequest, answer: string) {
  const past = request.history.reduce((sum, message) => sum + countWords(message.text), 0);
  return {
    inputTokens: countWords(request.system) + past + countWords(request.text),
    outputTokens: countWords(answer),
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
  };
}

/** Runs of non-space characters; a loop, because histories hold megabytes of tool output. */
function countWords(text: string): number {
  let count = 0;
  let inWord = false;
  for (let i = 0; i < text.length; i++) {
    const space = text.charCodeAt(i) <= 32;
    if (!space && !inWord) count++;
    inWord = !space;
  }
  return count;
}

function stopIfAborted(signal: AbortSignal): void {
  if (signal.aborted) throw new SignalboxError("E_TURN_STOPPED", "The turn was stopped.");
}

function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise<undefined>((resolve) => {
    let cancel = () => {};
    const done = () => {
      cancel();
      signal.removeEventListener("abort", done);
      resolve(undefined);
    };
    cancel = clock.after(ms, done);
    signal.addEventListener("abort", done, { once: true });
    if (signal.aborted) done();
  }).then(() => {
    stopIfAborted(signal);
  });
}

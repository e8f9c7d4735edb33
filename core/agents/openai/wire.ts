import { SignalboxError } from "../../contract/errors.ts";
import { readChunk, readFault, type ChatChunk } from "./chunk.ts";
import {
  httpFault,
  networkCode,
  networkFault,
  streamFault,
  unreadable,
  type FaultScene,
} from "./faults.ts";
import { createSseReader, type SseEvent } from "./sse-reader.ts";

/** What was seen of one answer on the wire. The SDK gets the pieces; how it ended is decided by this. */
export interface Wire {
  /** The server's own `finish_reason`. */
  finish: string | null;
  /** `[DONE]`, or the end of an answer sent in one piece. */
  done: boolean;
  /** Set where the answer or the request failed; outranks whatever the SDK makes of it. */
  fault: SignalboxError | null;
  /** Why the connection broke before its end; null where it ended by itself. */
  broke: string | null;
  /** A request was sent. */
  asked: boolean;
  /** Events read that held something; 0 = the server said nothing at all. */
  events: number;
  /** The body ended or was ended by us, rather than given up by the SDK. */
  over: boolean;
}

export interface WireListener {
  /** Bytes came. `silent` = they completed nothing of an answer (comments, half an event). */
  bytes(silent: boolean): void;
  /** The model has finished; call `close` to end the answer without waiting for the server's end mark. */
  finished(close: () => void): void;
}

/** Most characters of one event, error body or unstreamed answer; far above any real one, so memory has a bound. */
const MAX_EVENT_CHARS = 16 * 1024 * 1024;

export function newWire(): Wire {
  return {
    asked: false,
    finish: null,
    done: false,
    fault: null,
    broke: null,
    events: 0,
    over: false,
  };
}

/**
 * A fetch for one request of the SDK. It notes in `wire` what the SDK would lose (refusals, faults in the stream,
 * whether the answer really ended) and hands on a body of well-formed chunks only.
 */
export function wireFetch(
  fetchImpl: typeof fetch,
  wire: Wire,
  listener: WireListener,
  scene: FaultScene,
): typeof fetch {
  return async (input, init) => {
    wire.asked = true;
    let response: Response;
    try {
      response = await fetchImpl(input, init);
    } catch (thrown) {
      wire.fault = networkFault(thrown);
      throw thrown;
    }
    if (!response.ok) {
      const body = await readText(response).catch(() => "");
      wire.fault = httpFault(response.status, body, response.headers.get("retry-after"), scene);
      return new Response("{}", { status: response.status });
    }
    wire.over = true; // until a stream begins
    const type = response.headers.get("content-type") ?? "";
    if (type.includes("html") || !response.body) {
      await response.body?.cancel().catch(() => undefined);
      wire.fault = unreadable(response.body ? "a web page" : "nothing");
      return eventStream(new Blob([]).stream());
    }
    if (type.includes("json") && !type.includes("event-stream"))
      return eventStream(new Blob([await wholeAnswer(response, wire, scene)]).stream());
    return eventStream(chunksOf(response.body, wire, listener, scene));
  };
}

function eventStream(body: ReadableStream<Uint8Array>): Response {
  return new Response(body, { status: 200, headers: { "content-type": "text/event-stream" } });
}

/** Reads the server's stream and writes the SDK's: faults and endings go to `wire`, never into the stream. */
function chunksOf(
  body: ReadableStream<Uint8Array>,
  wire: Wire,
  listener: WireListener,
  scene: FaultScene,
): ReadableStream<Uint8Array> {
  wire.over = false;
  const reader = body.getReader();
  const takeBytes = createSseReader(MAX_EVENT_CHARS);
  let end = () => {};
  let givenUp = false;

  /** The next events; null where the body ended or broke, which `wire` then says. */
  async function nextEvents(): Promise<SseEvent[] | null> {
    try {
      const { done, value } = await reader.read();
      return done ? null : takeBytes(value);
    } catch (thrown) {
      if (thrown instanceof RangeError) wire.fault = unreadable("a piece that is far too large");
      else wire.broke = networkCode(thrown) || "closed";
      return null;
    }
  }

  return new ReadableStream<Uint8Array>({
    start(controller) {
      end = () => {
        if (wire.over || givenUp) return;
        wire.over = true;
        controller.close();
        // Some servers keep the connection open after `[DONE]`.
        reader.cancel().catch(() => undefined);
      };
    },
    async pull(controller) {
      let handedOn = false;
      while (!handedOn) {
        const events = await nextEvents();
        if (wire.over) return; // ended by the linger timer while this read waited
        const chunks = takeEvents(events ?? [], wire, scene);
        handedOn = chunks.length > 0;
        if (events) listener.bytes(!handedOn);
        if (handedOn) controller.enqueue(encode(chunks));
        if (!events || wire.done || wire.fault) {
          end();
          return;
        }
        if (wire.finish !== null) listener.finished(end);
      }
    },
    async cancel(reason) {
      givenUp = true;
      await reader.cancel(reason).catch(() => undefined);
    },
  });
}

/** Notes endings and faults, and gives the chunks to hand on. What follows an end or a fault is ignored. */
function takeEvents(events: readonly SseEvent[], wire: Wire, scene: FaultScene): ChatChunk[] {
  const chunks: ChatChunk[] = [];
  for (const event of events) {
    if (wire.done || wire.fault) break;
    const data = event.data.trim();
    if (data === "[DONE]") {
      wire.done = true;
      // The SDK wants a finish reason; a server that sent its end mark without one did finish.
      if (wire.finish === null)
        chunks.push({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] });
      break;
    }
    if (!data.startsWith("{")) continue; // empty data, pings
    wire.events++;
    const value = parseOrNull(data);
    if (value === null) {
      wire.fault = unreadable("a piece that is not JSON");
      break;
    }
    const chunk = takeValue(value, event.type, wire, scene);
    if (chunk) chunks.push(chunk);
  }
  return chunks;
}

function takeValue(value: object, type: string, wire: Wire, scene: FaultScene): ChatChunk | null {
  const fault = readFault(value) ?? (type === "error" ? { code: "", message: "" } : null);
  if (fault) {
    wire.fault = streamFault(fault, scene);
    return null;
  }
  const chunk = readChunk(value);
  wire.finish = chunk?.choices[0]?.finish_reason ?? wire.finish;
  return chunk;
}

/** A server that ignored `stream: true` sends one JSON body: it becomes one chunk. */
async function wholeAnswer(
  response: Response,
  wire: Wire,
  scene: FaultScene,
): Promise<Uint8Array<ArrayBuffer>> {
  let body: string;
  try {
    body = await readText(response);
  } catch (thrown) {
    wire.broke = networkCode(thrown) || "closed";
    return new Uint8Array();
  }
  const value = parseOrNull(body);
  if (value === null) {
    wire.fault = unreadable("something that is not JSON");
    return new Uint8Array();
  }
  wire.events++;
  const chunk = takeValue(value, "", wire, scene);
  wire.done = true;
  return chunk ? encode([chunk]) : new Uint8Array();
}

/** Reads a body to its end. @throws {RangeError} where it is larger than any real one. */
export async function readText(response: Response): Promise<string> {
  if (!response.body) return "";
  const decoder = new TextDecoder();
  let text = "";
  const body: ReadableStream<Uint8Array> = response.body; // typed as a stream of anything
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    text += decoder.decode(value, { stream: true });
    if (text.length > MAX_EVENT_CHARS) throw new RangeError("the body is too large");
  }
  return text + decoder.decode();
}

function encode(chunks: readonly ChatChunk[]): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(chunks.map((c) => `data: ${JSON.stringify(c)}\n\n`).join(""));
}

function parseOrNull(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" ? value : null;
  } catch {
    return null;
  }
}

import { randomBytes } from "node:crypto";
import { WebSocket, WebSocketServer, type RawData } from "ws";
import { z } from "zod";
import type { Clock } from "../clock.ts";
import { SignalboxError, toWire } from "../contract/errors.ts";
import type { CallContext, Connection, GatewayApi } from "../gateway-api.ts";
import type { Log } from "../log/log.ts";

/** The largest call frame: the longest message a call takes, escaped. */
const MAX_FRAME_BYTES = 2 * 1024 * 1024;
/** Above it ws itself hangs up: between the two, a typed error is still possible. */
const MAX_PAYLOAD_BYTES = 16 * 1024 * 1024;
/** Unread pushes kept for a slow client before they are skipped. */
const MAX_BUFFERED_BYTES = 4 * 1024 * 1024;
/** A client that lets even its answers pile up this high is not reading at all. */
const HANG_UP_BYTES = 64 * 1024 * 1024;
/** Calls one client may have open at a time. */
const MAX_OPEN_CALLS = 64;
const PING_MS = 30_000;

const frame = z.object({
  id: z.union([z.string().max(128), z.number()]),
  call: z.string().max(128),
  input: z.unknown().optional(),
});

export interface SocketDoor {
  readonly sockets: WebSocketServer;
  /** Serves one accepted WebSocket until it closes. */
  serve(socket: WebSocket, actor: CallContext["actor"]): void;
  /** Says goodbye to every client; resolves when all are gone. */
  close(): Promise<void>;
}

/**
 * The contract over a WebSocket. Client: `{id, call, input}`; server: `{id, reply}` and `{push: {seq, bootId, name, payload}}`
 * with `seq` from 1 per connection.
 *
 * A client that reads too slowly loses pushes, never answers: the numbers go on, and once it has caught up an empty
 * push named `gap` shows it the jump.
 */
export function socketDoor(gateway: GatewayApi, clock: Clock, log: Log): SocketDoor {
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_PAYLOAD_BYTES,
    perMessageDeflate: false, // loopback: time is worth more than bytes
  });

  function serve(socket: WebSocket, actor: CallContext["actor"]): void {
    const connection: Connection = { id: randomBytes(8).toString("hex"), watching: new Set() };
    const context: CallContext = { actor, connection };
    let seq = 0;
    let skipped = false;
    let openCalls = 0;
    let alive = true;

    const push = (name: string, payload: unknown): void => {
      seq += 1;
      if (socket.bufferedAmount > MAX_BUFFERED_BYTES) {
        skipped = true;
        return;
      }
      const text = JSON.stringify({ push: { seq, bootId: gateway.bootId, name, payload } });
      socket.send(text, caughtUp);
    };
    const caughtUp = (): void => {
      if (!skipped || socket.bufferedAmount > 0 || socket.readyState !== WebSocket.OPEN) return;
      skipped = false;
      push("gap", {});
    };
    const reply = (id: string | number | null, answer: unknown): void => {
      if (socket.readyState !== WebSocket.OPEN) return;
      socket.send(JSON.stringify({ id, reply: answer }), caughtUp);
      if (socket.bufferedAmount > HANG_UP_BYTES) socket.terminate();
    };
    const refuse = (id: string | number | null, thrown: unknown): void => {
      reply(id, { ok: false, error: toWire(thrown) });
    };

    socket.on("message", (data, isBinary) => {
      const { id, call, input, fault } = readFrame(data, isBinary);
      if (fault !== null) {
        refuse(id, fault);
        return;
      }
      if (openCalls >= MAX_OPEN_CALLS) {
        refuse(id, new SignalboxError("E_BUSY", "Too many calls at once on this connection."));
        return;
      }
      openCalls += 1;
      gateway
        .answer(call, input, context)
        .then(
          (answer) => {
            reply(id, answer);
          },
          (cause: unknown) => {
            log.error("call.broke", { call }, cause);
            refuse(id, cause);
          },
        )
        .finally(() => {
          openCalls -= 1;
        });
    });

    const disconnect = gateway.connect(connection, push);
    let stopPing = (): void => undefined;
    const ping = (): void => {
      if (!alive) {
        socket.terminate();
        return;
      }
      alive = false;
      socket.ping();
      stopPing = clock.after(PING_MS, ping);
    };
    stopPing = clock.after(PING_MS, ping);
    socket.on("pong", () => {
      alive = true;
    });
    socket.on("error", (cause) => {
      log.debug("socket.broke", { connection: connection.id, text: cause.message });
    });
    socket.on("close", () => {
      stopPing();
      disconnect();
    });
  }

  return {
    sockets,
    serve,
    close() {
      for (const socket of sockets.clients) socket.close(1001, "The gateway is stopping.");
      return new Promise((resolve) => {
        sockets.close(() => {
          resolve();
        });
      });
    },
  };
}

type Frame = { id: string | number | null; call: string; input: unknown } & {
  fault: SignalboxError | null;
};

function readFrame(data: RawData, isBinary: boolean): Frame {
  const broken = (message: string, id: Frame["id"] = null): Frame => ({
    id,
    call: "",
    input: null,
    fault: new SignalboxError("E_INPUT", message),
  });
  if (isBinary) return broken("Frames are text.");
  const text = textOf(data);
  if (text.length > MAX_FRAME_BYTES)
    return {
      ...broken(""),
      fault: new SignalboxError("E_TOO_LARGE", `A frame is at most ${MAX_FRAME_BYTES} bytes.`),
    };
  let raw: unknown;
  try {
    raw = JSON.parse(text);
  } catch {
    return broken("The frame is not JSON.");
  }
  const read = frame.safeParse(raw);
  if (read.success) return { ...read.data, input: read.data.input ?? {}, fault: null };
  const id =
    typeof raw === "object" && raw !== null && "id" in raw
      ? z
          .union([z.string().max(128), z.number()])
          .nullable()
          .catch(null)
          .parse(raw.id)
      : null;
  return broken("A frame is {id, call, input}.", id);
}

function textOf(data: RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString("utf8");
  return (Buffer.isBuffer(data) ? data : Buffer.from(data)).toString("utf8");
}

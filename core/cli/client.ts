import { request as httpRequest } from "node:http";
import type { CallInput, CallName, CallOutput } from "../contract/calls.ts";
import { SignalboxError, type WireError } from "../contract/errors.ts";
import { readToken } from "../server/token.ts";
import { localTime, readOwnerRecord, type OwnerRecord } from "../state/owner-record.ts";
import { systemCode } from "../state/private-file.ts";

/** A running gateway, as the command line reaches it. */
export interface Client {
  readonly url: string;
  readonly token: string;
  /** @throws {SignalboxError} what the gateway answers; E_NOT_RUNNING where it went away. */
  call<N extends CallName>(method: N, params: CallInput<N>): Promise<CallOutput<N>>;
  /** The same for a method that is only known as text. */
  callNamed(method: string, params: unknown): Promise<unknown>;
  /** A fresh one-time link to the panel. */
  loginLink(): Promise<string>;
}

/**
 * Finds the gateway that runs on a data directory, through its lock record.
 *
 * @throws {SignalboxError} E_NOT_RUNNING, with the remedy in its message.
 */
export async function findGateway(dataDir: string): Promise<Client> {
  const record = readOwnerRecord(dataDir);
  // A record outlives a killed process, and its port may belong to a stranger by now: no token to strangers.
  const url = record !== null && runs(record.pid) ? record.url : undefined;
  const token = url === undefined ? null : readToken(dataDir);
  if (url === undefined || token === null) throw await notFound(dataDir);

  const post = async (path: string, body: unknown): Promise<unknown> => {
    const text = await exchange(`${url}${path}`, token, body).catch(async (cause: unknown) => {
      if (systemCode(cause) === "ECONNREFUSED") throw await notFound(dataDir);
      throw new SignalboxError(
        "E_NOT_RUNNING",
        `The gateway at ${url} went away before it answered. Look again with: signalbox status`,
        {},
        { cause },
      );
    });
    const reply = readReply(text);
    if (reply.ok) return reply.value;
    throw new SignalboxError(reply.error.code, reply.error.message, reply.error.details);
  };
  const callNamed = (method: string, params: unknown): Promise<unknown> =>
    post("/rpc", { method, params });
  return {
    url,
    token,
    callNamed,
    call: (method, params) => callNamed(method, params) as Promise<CallOutput<typeof method>>,
    async loginLink() {
      const value = await post("/login", {});
      if (typeof value === "object" && value !== null && "url" in value) return String(value.url);
      throw new SignalboxError("E_INTERNAL", "The gateway gave no link.");
    },
  };
}

/** Why there is nobody to talk to. Only now the lock is looked at: that needs the database library. */
async function notFound(dataDir: string): Promise<SignalboxError> {
  const { readOwner } = await import("../state/owner-lock.ts");
  const owner = readOwner(dataDir);
  return new SignalboxError("E_NOT_RUNNING", whyNot(owner, dataDir), { dataDir });
}

function whyNot(owner: OwnerRecord | null, dataDir: string): string {
  if (owner === null)
    return `No gateway runs on ${dataDir}. Start one with: signalbox serve --data ${shellWord(dataDir)}`;
  const who = `Process ${owner.pid} owns ${dataDir}, since ${localTime(owner.startedAtMs)}`;
  return owner.host === "desktop"
    ? `${who}: the desktop app, without an open port. Turn its web host on, or quit it and use: signalbox serve`
    : `${who}, but it answers no calls. It may still be starting, or stopping: try again in a moment.`;
}

function runs(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (cause) {
    return systemCode(cause) === "EPERM"; // there, and somebody else's
  }
}

function exchange(url: string, token: string, body: unknown): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, {
      method: "POST",
      agent: false,
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        "x-signalbox-actor": "cli",
      },
    });
    request.on("error", reject);
    request.on("response", (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => (text += chunk));
      response.on("end", () => {
        resolve(text);
      });
      response.on("error", reject);
    });
    request.end(JSON.stringify(body));
  });
}

function readReply(text: string): { ok: true; value: unknown } | { ok: false; error: WireError } {
  try {
    const reply: unknown = JSON.parse(text);
    if (typeof reply === "object" && reply !== null && "ok" in reply)
      return reply as ReturnType<typeof readReply>;
  } catch {
    // told below: what answers there is no gateway
  }
  throw new SignalboxError("E_NOT_RUNNING", "What answers on the gateway's port is no gateway.");
}

/** A path as it can be pasted into a shell. */
const shellWord = (text: string): string =>
  /^[\w./:\\~-]+$/.test(text) ? text : JSON.stringify(text);

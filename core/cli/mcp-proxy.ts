import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { SignalboxError } from "../contract/errors.ts";
import type { Client } from "./client.ts";

/**
 * Connects a program that speaks MCP over standard input and output with the gateway that runs: messages are handed on
 * as they are. Resolves when either side has ended.
 * @throws {SignalboxError} E_NOT_RUNNING where the gateway went away.
 */
export async function proxyMcp(gateway: Client, session: string | null): Promise<void> {
  const url = new URL("/mcp", gateway.url);
  if (session !== null) url.searchParams.set("session", session);
  const program: Transport = new StdioServerTransport();
  const http = new StreamableHTTPClientTransport(url, {
    requestInit: { headers: { authorization: `Bearer ${gateway.token}` } },
  });
  const upstream = http as Transport; // its optional members are typed without `undefined`
  let gone: Error | null = null;

  await new Promise<void>((resolve) => {
    const end = (cause?: Error): void => {
      gone ??= cause ?? null;
      resolve();
    };
    program.onmessage = (message) => {
      upstream.send(message).catch((thrown: unknown) => {
        const cause = thrown instanceof Error ? thrown : new Error(String(thrown));
        if (!("id" in message) || !("method" in message)) {
          end(cause);
          return;
        }
        const error = { code: -32_000, message: `The gateway did not answer: ${cause.message}` };
        program.send({ jsonrpc: "2.0", id: message.id, error }).then(
          () => {
            end(cause);
          },
          () => {
            end(cause);
          },
        );
      });
    };
    upstream.onmessage = (message) => {
      const agreed = "result" in message ? message.result["protocolVersion"] : undefined;
      if (typeof agreed === "string") http.setProtocolVersion(agreed);
      program.send(message).catch(() => {
        end();
      });
    };
    program.onclose = () => {
      end();
    };
    process.stdin.once("end", () => {
      end(); // the program that started us is done
    });
    upstream.onclose = () => {
      end();
    };
    upstream
      .start()
      .then(() => program.start())
      .catch((cause: unknown) => {
        end(cause instanceof Error ? cause : new Error(String(cause)));
      });
  });
  await http.terminateSession().catch(() => undefined);
  await upstream.close().catch(() => undefined);
  // oxlint-disable-next-line typescript/no-unnecessary-condition -- a callback sets it
  if (gone !== null)
    throw new SignalboxError("E_NOT_RUNNING", "The gateway went away.", {}, { cause: gone });
}

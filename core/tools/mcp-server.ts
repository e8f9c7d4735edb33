import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { toWire } from "../contract/errors.ts";
import { version } from "../version.ts";
import type { ToolClient, ToolClients } from "./clients.ts";
import { schemaOf } from "./tool.ts";

const instructions =
  "Signalbox keeps sessions of people and agents. sessions_list shows them, sessions_history what was said, sessions_send writes into one (watch: true tells you when somebody else changes it). A notice that a session changed names a version: call session_status with it as changesSince before you act on that session.";

/**
 * An MCP server for one connection of a program.
 * @param client Resolves to the session that the program is.
 */
export function createMcpServer(clients: ToolClients, client: Promise<ToolClient>): McpServer {
  const mcp = new McpServer(
    { name: "signalbox", title: "Signalbox", version },
    { capabilities: { tools: {}, logging: {} }, instructions },
  );
  const { server } = mcp;
  const listed = clients.tools.map((tool) => ({
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: { type: "object" as const, ...schemaOf(tool) },
    annotations: { title: tool.title, readOnlyHint: tool.reads, openWorldHint: false },
  }));
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: listed }));
  server.setRequestHandler(
    CallToolRequestSchema,
    async ({ params }, extra): Promise<CallToolResult> => {
      try {
        const session = await client;
        const called = await session.call(params.name, params.arguments ?? {}, extra.signal);
        return {
          content: [
            { type: "text", text: called.text },
            ...(called.lines === null ? [] : [{ type: "text" as const, text: called.lines }]),
          ],
          ...(called.result === undefined ? {} : { structuredContent: called.result }),
          ...(called.failed ? { isError: true } : {}),
        };
      } catch (thrown) {
        return { content: [{ type: "text", text: toWire(thrown).message }], isError: true };
      }
    },
  );
  return mcp;
}

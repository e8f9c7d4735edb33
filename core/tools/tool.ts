import { z } from "zod";
import type { Chain } from "../journal/relay.ts";

/** The session on whose behalf a tool runs. */
export interface Requester {
  key: string;
  /** A client outside of this gateway: it has no lane of its own, and reads what waits with its calls. */
  isClient: boolean;
  /** The chain that its turn is in now. */
  chain(): Chain;
}

/** What a tool answers: an object for programs, and what a model reads of it where that differs. */
export interface ToolAnswer {
  result: Record<string, unknown>;
  text?: string;
}

export interface Tool {
  name: string;
  title: string;
  description: string;
  /** It changes nothing. */
  reads: boolean;
  input: z.ZodObject;
  /** @throws {ToolInputError} for arguments that cannot be meant. Policy and state are answers, not errors. */
  run(requester: Requester, args: unknown, signal: AbortSignal): Promise<ToolAnswer>;
}

/** Arguments of a call that cannot be meant; its message is the answer. */
export class ToolInputError extends Error {
  override readonly name = "ToolInputError";
}

/** Makes a tool whose `run` gets its arguments checked. */
export function tool<Input extends z.ZodObject>(declared: {
  name: string;
  title: string;
  description: string;
  reads?: boolean;
  input: Input;
  run(
    requester: Requester,
    args: z.output<Input>,
    signal: AbortSignal,
  ): ToolAnswer | Promise<ToolAnswer>;
}): Tool {
  return {
    reads: false,
    ...declared,
    async run(requester, args, signal) {
      const read = declared.input.safeParse(args ?? {});
      if (!read.success) {
        const [issue] = read.error.issues;
        const where = issue?.path.join(".") ?? "";
        throw new ToolInputError(
          `${where === "" ? "" : `${where}: `}${issue?.message ?? "invalid"}`,
        );
      }
      return declared.run(requester, read.data, signal);
    },
  };
}

/** Arguments as JSON Schema, for models and for clients. */
export const schemaOf = (tool: Pick<Tool, "input">): Record<string, unknown> =>
  z.toJSONSchema(tool.input, { io: "input", unrepresentable: "any" });

export const refused = (status: "error" | "forbidden", error: string): ToolAnswer => ({
  result: { status, error },
});

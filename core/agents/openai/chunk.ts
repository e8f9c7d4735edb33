import { z } from "zod";

/** A fault that a server reports inside its answer or as the body of a refusal. */
export interface ServerFault {
  code: string;
  message: string;
}

export interface ChatChunk {
  id?: string;
  model?: string;
  created?: number;
  choices: { index: number; delta: ChatDelta; finish_reason: string | null }[];
  usage?: ChatUsage;
}
interface ChatDelta {
  content?: string;
  reasoning_content?: string;
  tool_calls?: {
    index?: number;
    id?: string;
    type: "function";
    function: { name?: string; arguments?: string };
  }[];
}
interface ChatUsage {
  prompt_tokens?: number | undefined;
  completion_tokens?: number | undefined;
  total_tokens?: number | undefined;
  prompt_tokens_details?: { cached_tokens?: number | undefined } | undefined;
}

// Servers put anything into fields they do not use: a wrong type is an absent value, never a failed answer.
const text = z.string().optional().catch(undefined);
const count = z.number().nonnegative().optional().catch(undefined);
const looseObject = z.record(z.string(), z.unknown());

const partText = z
  .object({ type: z.literal("text"), text: z.string() })
  .transform((part) => part.text)
  .catch("");
const content = z.union([z.string(), z.array(partText).transform((parts) => parts.join(""))]);

const callFragment = z.object({
  index: z.number().int().optional().catch(undefined),
  id: text,
  function: z.object({
    name: text,
    // Some local servers send the arguments as an object, in one piece.
    arguments: z
      .union([z.string(), looseObject.transform((args) => JSON.stringify(args))])
      .optional()
      .catch(undefined),
  }),
});

const message = z.object({
  content: content.optional().catch(undefined),
  refusal: text,
  reasoning_content: text,
  reasoning: text,
  tool_calls: z.array(callFragment).optional().catch(undefined),
});

const chunk = z.object({
  id: text,
  model: text,
  created: count,
  choices: z
    .array(
      z.object({
        delta: message.optional().catch(undefined),
        message: message.optional().catch(undefined), // a server that ignored `stream: true`
        finish_reason: text,
      }),
    )
    .optional()
    .catch(undefined),
  usage: z
    .object({
      prompt_tokens: count,
      completion_tokens: count,
      total_tokens: count,
      prompt_tokens_details: z.object({ cached_tokens: count }).optional().catch(undefined),
    })
    .optional()
    .catch(undefined),
});

const fault = z.union([
  z.object({ error: z.string().transform((words) => ({ code: "", message: words })) }),
  z.object({
    error: looseObject.transform((error) => ({
      code: [error["code"], error["type"]].filter((v) => typeof v === "string").join(" "),
      message: typeof error["message"] === "string" ? error["message"] : "",
    })),
  }),
  z
    .object({ object: z.literal("error"), message: z.string(), code: z.unknown() })
    .transform((error) => ({
      error: { code: typeof error.code === "string" ? error.code : "", message: error.message },
    })),
]);

/** The fault in a parsed body or event, in any of the shapes that servers use; null where it holds none. */
export function readFault(value: unknown): ServerFault | null {
  const parsed = fault.safeParse(value);
  return parsed.success ? parsed.data.error : null;
}

/**
 * Rewrites one parsed event into the strict chunk the SDK reads: known fields, right types, first choice only.
 *
 * @returns null where the event holds nothing of an answer.
 */
export function readChunk(value: unknown): ChatChunk | null {
  const parsed = chunk.safeParse(value);
  if (!parsed.success) return null;
  const { choices, usage, ...rest } = parsed.data;
  const choice = choices?.[0];
  return {
    ...defined(rest),
    choices: choice
      ? [
          {
            index: 0,
            delta: toDelta(choice.delta ?? choice.message),
            finish_reason: choice.finish_reason ?? null,
          },
        ]
      : [],
    ...(usage && { usage }),
  };
}

function toDelta(from: z.output<typeof message> | undefined): ChatDelta {
  const calls = from?.tool_calls?.map((call) => ({
    ...defined({ index: call.index, id: call.id }),
    type: "function" as const,
    function: defined(call.function),
  }));
  return {
    ...defined({
      content: from?.content ?? from?.refusal,
      reasoning_content: from?.reasoning_content ?? from?.reasoning,
    }),
    ...(calls && { tool_calls: calls }),
  };
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };
function defined<T extends object>(from: T): Defined<T> {
  return Object.fromEntries(
    Object.entries(from).filter(([, value]) => value !== undefined),
  ) as Defined<T>;
}

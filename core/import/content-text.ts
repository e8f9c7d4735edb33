import { isJsonObject, own } from "../sessions/stored-json.ts";
import type { JsonObject } from "../sessions/stored-json.ts";

/** A member's text, or null. */
export const textOf = (from: JsonObject, name: string): string | null => {
  const value = own(from, name);
  return typeof value === "string" && value !== "" ? value : null;
};

/** A member that is a finite number, or null. */
export const numberOf = (from: JsonObject, name: string): number | null => {
  const value = own(from, name);
  return typeof value === "number" && Number.isFinite(value) ? value : null;
};

/** A member that is an object, or an empty one. */
export const objectOf = (from: JsonObject, name: string): JsonObject => {
  const value = own(from, name);
  return isJsonObject(value) ? value : {};
};

/** What a person reads of a message whose content is a text or a list of parts; other parts are named, not shown. */
export function contentText(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content))
    return content === null || content === undefined ? "" : JSON.stringify(content);
  return content
    .flatMap((part: unknown) => {
      if (typeof part === "string") return [part];
      if (!isJsonObject(part)) return [];
      const text = textOf(part, "text");
      if (text !== null) return [text];
      const type = textOf(part, "type");
      return type === null || hidden.has(type) ? [] : [`[${type}]`];
    })
    .join("\n");
}

/** Parts that are no words of the message: thoughts, and calls that are told apart from it. */
const hidden: ReadonlySet<string> = new Set(["thinking", "reasoning", "toolCall", "text"]);

export function parsedJson(text: string | null): unknown {
  try {
    return text === null ? null : (JSON.parse(text) as unknown);
  } catch {
    return null;
  }
}

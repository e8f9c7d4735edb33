/** A value as JSON holds it: what a mirror, a peer or an older build may hand us. */
export type JsonValue =
  null | boolean | number | string | readonly JsonValue[] | { readonly [name: string]: JsonValue };

export type JsonObject = { readonly [name: string]: JsonValue };

/** An object with members: not null, not a list. */
export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The member's own value; a name that only the prototype knows (`constructor`) is not there. */
export const own = (stored: JsonObject, name: string): JsonValue | undefined =>
  Object.hasOwn(stored, name) ? stored[name] : undefined;

/** Truthiness of a stored flag (lifecycle 1.3): `1` and `"yes"` are true; `0`, `""`, null, empty lists and objects false. */
export function isTruthy(value: JsonValue | undefined): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (isJsonObject(value)) return Object.keys(value).length > 0;
  return Boolean(value);
}

/** Text as it is, a number or a boolean as text, anything else null. */
export function scalarText(value: JsonValue | undefined): string | null {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : null;
}

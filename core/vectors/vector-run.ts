import { isDeepStrictEqual } from "node:util";
import { isJsonObject, own } from "../sessions/stored-json.ts";
import type { JsonObject, JsonValue } from "../sessions/stored-json.ts";

/** How one case went; `difference` is null where it passed. */
export interface CaseOutcome {
  readonly id: string;
  readonly difference: string | null;
}

/** Runs every case of one parsed file. A file that is not even a list of cases throws. */
export type VectorRunner = (
  parsed: unknown,
) => readonly CaseOutcome[] | Promise<readonly CaseOutcome[]>;

/** Two lines, what was wanted above what came; null where they are equal by value. */
export function differenceOf(expected: unknown, actual: unknown): string | null {
  if (isDeepStrictEqual(expected, actual)) return null;
  return `expected ${JSON.stringify(expected)}\n     got ${JSON.stringify(actual)}`;
}

/**
 * A runner for files of `{ id, input, expected }`: one pure rule, compared by value.
 *
 * @param rule Throwing is a failure of that case only.
 */
export function caseRunner(rule: (input: JsonObject) => JsonValue): VectorRunner {
  return (parsed) => {
    if (!Array.isArray(parsed)) throw new Error("the file is not a list of cases");
    return parsed.map((item: unknown, index): CaseOutcome => {
      const one = isJsonObject(item) ? item : {};
      const name = own(one, "id");
      const id = typeof name === "string" ? name : `case ${index}`;
      const input = own(one, "input");
      if (!isJsonObject(input)) return { id, difference: "the case has no input" };
      try {
        return { id, difference: differenceOf(own(one, "expected"), rule(input)) };
      } catch (thrown) {
        return { id, difference: `threw ${String(thrown)}` };
      }
    });
  };
}

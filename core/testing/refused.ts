import { expect } from "vitest";
import type { ErrorCode } from "../contract/errors.ts";

/** Matches an error of ours by its code, and by those details that are given. */
export const refused = (
  code: ErrorCode,
  details?: Record<string, string | number | boolean | null>,
): unknown =>
  expect.objectContaining({
    code,
    ...(details ? { details: expect.objectContaining(details) as unknown } : {}),
  });

import type { Migration } from "../migrate.ts";
import { base } from "./0010-base.ts";
import { lifecycle } from "./0020-lifecycle.ts";

/** In order; numbers in tens leave room for a fix between two releases. */
export const migrations: readonly Migration[] = [base, lifecycle];

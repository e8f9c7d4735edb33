import type { Migration } from "../migrate.ts";
import { base } from "./0010-base.ts";
import { lifecycle } from "./0020-lifecycle.ts";
import { search } from "./0030-search.ts";
import { imported } from "./0032-import.ts";
import { recovery } from "./0040-recovery.ts";
import { journal } from "./0050-journal.ts";
import { scale } from "./0060-scale.ts";

/** In order; numbers in tens leave room for a fix between two releases. */
export const migrations: readonly Migration[] = [
  base,
  lifecycle,
  search,
  imported,
  recovery,
  journal,
  scale,
];

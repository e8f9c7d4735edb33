import { join } from "node:path";

/** The repository's root folder. */
export const ROOT = join(import.meta.dirname, "..");

/** Where everything that is built goes. */
export const DIST = join(ROOT, "dist");

/**
 * The file a tool of `node_modules` is started by, so that it runs on this very Node on every platform.
 *
 * @param path The tool's script below `node_modules`, e.g. `oxlint/bin/oxlint`.
 */
export const tool = (path: string): string => join(ROOT, "node_modules", ...path.split("/"));

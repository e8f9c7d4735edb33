import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { MappingReader } from "./whatsapp-identity.ts";

/** The bridge's folder of an older build is used for as long as it holds anything (lifecycle 4.5). */
function bridgeFolder(home: string): string {
  const legacy = join(home, "whatsapp", "session");
  try {
    if (readdirSync(legacy).length > 0) return legacy;
  } catch {
    // not there: the normal case
  }
  return join(home, "platforms", "whatsapp", "session");
}

/**
 * Reads the bridge's mapping files from disk.
 *
 * Nothing is cached: a mapping that arrives between two messages must already count for the second one.
 *
 * @param home The gateway's data root.
 */
export function whatsAppMappingFiles(home: string): MappingReader {
  return (fileName) => {
    try {
      return readFileSync(join(bridgeFolder(home), fileName), "utf8");
    } catch {
      return null; // missing and unreadable are the same to the rule
    }
  };
}

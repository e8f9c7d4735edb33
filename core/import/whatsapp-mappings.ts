import { copyFileSync, constants, existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { KeyRules } from "../sessions/session-key.ts";
import { noMappings } from "../sessions/whatsapp-identity.ts";
import { whatsAppMappingFiles } from "../sessions/whatsapp-mapping-files.ts";
import { ensurePrivateDir } from "../state/private-file.ts";

/** The rules with what the source's bridge has learned beside what ours has: its lanes are named by it. */
export function rulesWithMappings(rules: KeyRules, sourceDir: string): KeyRules {
  const ours = rules.readMapping ?? noMappings;
  const theirs = whatsAppMappingFiles(sourceDir);
  return { ...rules, readMapping: (file) => ours(file) ?? theirs(file) };
}

/** Takes over what the source's bridge has learned; a file that is here already stays. Returns how many were new. */
export function takeMappings(sourceDir: string, dataDir: string): number {
  let taken = 0;
  const to = join(dataDir, "platforms", "whatsapp", "session");
  for (const from of [
    join(sourceDir, "platforms", "whatsapp", "session"),
    join(sourceDir, "whatsapp", "session"),
  ]) {
    if (!existsSync(from)) continue;
    for (const name of readdirSync(from)) {
      if (!/^lid-mapping-[A-Za-z0-9@.+-]+(_reverse)?\.json$/.test(name)) continue;
      if (existsSync(join(to, name))) continue;
      ensurePrivateDir(to);
      copyFileSync(join(from, name), join(to, name), constants.COPYFILE_EXCL);
      taken += 1;
    }
  }
  return taken;
}

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { SignalboxError } from "../contract/errors.ts";
import { systemCode, writePrivateFile } from "../state/private-file.ts";

/** The operating system's own encryption, where the host has one (Electron's safeStorage). */
export interface Cipher {
  encrypt(plain: string): string;
  /** Throws where the text was encrypted by another user or machine. */
  decrypt(sealed: string): string;
}

export interface SecretStore {
  /** Null where there is none by that name, or it cannot be decrypted here. */
  get: (name: string) => string | null;
  names(): string[];
  /** @throws {SignalboxError} E_READ_ONLY, E_STORE_FULL, E_STORE_DAMAGED: nothing was kept. */
  set(changes: ReadonlyMap<string, string | null>): void;
}

const file = z.object({
  version: z.literal(1),
  secrets: z.record(z.string(), z.object({ value: z.string(), sealed: z.boolean() })),
});
type Kept = z.output<typeof file>["secrets"];

/**
 * Named secrets in `<data>/secrets.json`, mode 0600, replaced whole. Encrypted where a cipher is given,
 * and then those that were kept in clear are encrypted by the next change.
 */
export function openSecrets(dataDir: string, cipher?: Cipher): SecretStore {
  const path = join(dataDir, "secrets.json");
  const { kept: found, damaged } = read(path);
  let kept: Kept = found;

  function get(name: string): string | null {
    const entry = Object.hasOwn(kept, name) ? kept[name] : undefined;
    if (entry === undefined) return null;
    if (!entry.sealed) return entry.value;
    try {
      return cipher?.decrypt(entry.value) ?? null;
    } catch {
      return null;
    }
  }
  return {
    get,
    names: () => Object.keys(kept),
    set(changes) {
      if (damaged)
        throw new SignalboxError(
          "E_STORE_DAMAGED",
          `${path} cannot be read as a secret store, so nothing is written to it. Repair it or move it away.`,
          { path },
        );
      const next = new Map(Object.entries(kept));
      for (const [name, value] of changes)
        if (value === null) next.delete(name);
        else next.set(name, { value, sealed: false });
      for (const [name, entry] of next)
        if (cipher && !entry.sealed)
          next.set(name, { value: cipher.encrypt(entry.value), sealed: true });
      const secrets = Object.fromEntries(next);
      writePrivateFile(path, `${JSON.stringify({ version: 1, secrets }, null, 2)}\n`);
      kept = secrets;
    },
  };
}

function read(path: string): { kept: Kept; damaged: boolean } {
  try {
    const parsed = file.safeParse(JSON.parse(readFileSync(path, "utf8")) as unknown);
    return parsed.success
      ? { kept: parsed.data.secrets, damaged: false }
      : { kept: {}, damaged: true };
  } catch (cause) {
    return { kept: {}, damaged: systemCode(cause) !== "ENOENT" };
  }
}

import { safeStorage } from "electron";
import type { Cipher } from "../core/config/secrets.ts";

/* oxlint-disable typescript/no-deprecated -- the settings are read and written in one step, and Electron's successors of these calls are asynchronous */

/**
 * The operating system's own encryption for secrets. Ask for it only once the app is ready.
 *
 * @returns undefined where there is none, or where it would only pretend: on Linux without a keyring
 * Electron falls back to a key that is the same on every machine.
 */
export function systemCipher(): Cipher | undefined {
  if (!safeStorage.isEncryptionAvailable()) return undefined;
  if (process.platform === "linux" && safeStorage.getSelectedStorageBackend() === "basic_text")
    return undefined;
  return {
    encrypt: (plain) => safeStorage.encryptString(plain).toString("base64"),
    decrypt: (sealed) => safeStorage.decryptString(Buffer.from(sealed, "base64")),
  };
}

/**
 * Stands in for the `electron` module where its runtime is not installed (docs/decisions/0003). The desktop
 * host's real main and preload run on it unchanged, in a process of their own, against a real Chromium.
 * It has what that host uses and no more: anything else is a link error or says so by name.
 */
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import type { MenuItemConstructorOptions } from "electron";
import { app as standInApp } from "./stand-in/app.ts";
import { StandInWindow } from "./stand-in/browser-window.ts";
import { answerTests } from "./stand-in/control.ts";
import { ipcMain as standInIpcMain } from "./stand-in/ipc-main.ts";
import { defaultSession, protocol as standInProtocol } from "./stand-in/session.ts";

/** Makes a use of what is not stood in for an error that names it, instead of `undefined`. */
function only<T extends object>(name: string, parts: T): T {
  return new Proxy(parts, {
    get(target, key) {
      // Symbols and `then` are looked up by the language itself.
      if (typeof key === "symbol" || key === "then" || Reflect.has(target, key)) {
        const value: unknown = Reflect.get(target, key, target);
        return typeof value === "function" ? (value.bind(target) as unknown) : value;
      }
      throw new Error(`stand-in: electron's ${name}.${key} is not stood in for`);
    },
  });
}

export const app = only("app", standInApp);
export const BrowserWindow = StandInWindow;
export const ipcMain = only("ipcMain", standInIpcMain);
export const protocol = only("protocol", standInProtocol);
export const session = only("session", { defaultSession: only("session", defaultSession) });

export const Menu = only("Menu", {
  buildFromTemplate: (items: MenuItemConstructorOptions[]) => ({ items }),
  setApplicationMenu(_menu: object | null): void {
    // no menu bar in a headless browser
  },
});

export const shell = only("shell", {
  async openExternal(_url: string): Promise<void> {
    // nothing outside is ever opened from a test; those that look replace it
  },
});

export const dialog = only("dialog", {
  showErrorBox(title: string, content: string): void {
    process.stderr.write(`[dialog] ${title}: ${content}\n`);
  },
});

export const nativeTheme = only("nativeTheme", { shouldUseDarkColors: false });

export const screen = only("screen", {
  getAllDisplays: () => [{ workArea: { x: 0, y: 0, width: 1920, height: 1080 } }],
});

const KEY = Buffer.alloc(32, "stand-in"); // the same in every run, as a keyring's is

export const safeStorage = only("safeStorage", {
  isEncryptionAvailable: () => true,
  getSelectedStorageBackend: () => "gnome_libsecret",
  encryptString(plain: string): Buffer {
    const nonce = randomBytes(12);
    const cipher = createCipheriv("aes-256-gcm", KEY, nonce);
    const sealed = Buffer.concat([cipher.update(plain, "utf8"), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
  },
  decryptString(sealed: Buffer): string {
    const decipher = createDecipheriv("aes-256-gcm", KEY, sealed.subarray(0, 12));
    decipher.setAuthTag(sealed.subarray(12, 28));
    return decipher.update(sealed.subarray(28), undefined, "utf8") + decipher.final("utf8");
  },
});

answerTests({ app, BrowserWindow, dialog, ipcMain, session, shell });

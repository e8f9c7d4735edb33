/** Loaded before the desktop host's main: from here on, `electron` is the stand-in. */
import { registerHooks } from "node:module";

const standIn = new URL("../electron-stand-in.ts", import.meta.url).href;

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === "electron"
      ? { url: standIn, format: "module-typescript", shortCircuit: true }
      : next(specifier, context),
});

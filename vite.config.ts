import react from "@vitejs/plugin-react";
import { join } from "node:path";
import { defineConfig, type Plugin } from "vite";

/** The page's own policy forbids inline script, which hot reload needs: while developing, it is left out. */
const withoutPolicy: Plugin = {
  name: "signalbox:without-policy",
  apply: "serve",
  transformIndexHtml: (html) =>
    html.replace(/<meta\s[^>]*http-equiv="Content-Security-Policy"[^>]*>/i, ""),
};

/** The panel. Everything is emitted as files, never inlined, so that the strict policy holds. */
export default defineConfig({
  root: join(import.meta.dirname, "renderer"),
  plugins: [react(), withoutPolicy],
  cacheDir: join(import.meta.dirname, "node_modules", ".cache", "vite"),
  build: {
    outDir: join(import.meta.dirname, "dist", "renderer"),
    emptyOutDir: true,
    target: "chrome130",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1500,
  },
});

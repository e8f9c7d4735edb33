/** `npm run dev`: the panel with hot reload, in front of a gateway that restarts when the core changes. */
import { spawn } from "node:child_process";
import { createServer as createSocket } from "node:net";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { createServer } from "vite";
import { ROOT } from "./paths.ts";

/** What the gateway answers itself; everything else is the panel's, from the dev server. */
const GATEWAY_PATHS = "^/(rpc|ws|login|hooks|mcp)(/|\\?|$)";

async function freePort(): Promise<number> {
  const socket = createSocket().listen(0, "127.0.0.1");
  await once(socket, "listening");
  const address = socket.address();
  socket.close();
  await once(socket, "close");
  if (address === null || typeof address === "string") throw new Error("no port was given");
  return address.port;
}

const port = await freePort();
const gateway = `http://127.0.0.1:${port}`;

const page = await createServer({
  configFile: join(ROOT, "vite.config.ts"),
  server: {
    host: "127.0.0.1",
    // The gateway knows only its own address: to it, the dev server must look like a page of its own.
    proxy: {
      [GATEWAY_PATHS]: {
        target: gateway,
        ws: true,
        changeOrigin: true,
        headers: { origin: gateway },
      },
    },
  },
});
await page.listen();
const panel = page.resolvedUrls?.local[0] ?? "";

const core = spawn(
  process.execPath,
  // prettier-ignore
  [
    "--watch", "--watch-preserve-output", join(ROOT, "core", "cli.ts"),
    "serve", "--json", "--port", String(port), ...process.argv.slice(2),
  ],
  { cwd: ROOT, stdio: ["inherit", "pipe", "inherit"] },
);

createInterface({ input: core.stdout }).on("line", (line) => {
  if (!line.startsWith("{")) {
    console.log(line);
    return;
  }
  const { token } = JSON.parse(line) as { token: string };
  console.log(`\nThe panel: ${panel}?token=${encodeURIComponent(token)}\n`);
});

async function stop(): Promise<void> {
  core.kill("SIGTERM");
  await page.close();
}

process.on("SIGTERM", () => void stop());
process.on("SIGINT", () => void stop());
core.on("exit", (code) => {
  void page.close().then(() => process.exit(code ?? 0));
});

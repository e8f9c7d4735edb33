import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { tempDir } from "../testing/temp-dir.ts";
import { until } from "../testing/until.ts";

/** `/restart` in the headless host, as a process of its own (lifecycle 10.7, 18). */
test(
  "it drains and begins anew at the same address; what waited is answered",
  { timeout: 30_000 },
  async () => {
    const cli = join(import.meta.dirname, "..", "cli.ts");
    const child = spawn(process.execPath, [cli, "--data", tempDir(), "serve", "--json"], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    onTestFinished(() => {
      child.kill("SIGKILL");
    });
    const [line] = (await once(child.stdout, "data")) as [Buffer];
    const { url, token, pid } = JSON.parse(String(line)) as {
      url: string;
      token: string;
      pid: number;
    };
    let more = "";
    child.stdout.on("data", (chunk: Buffer) => (more += String(chunk)));
    const call = async (
      method: string,
      params: object,
    ): Promise<Record<string, unknown> | null> => {
      const answer = await fetch(`${url}/rpc`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify({ method, params }),
      }).catch(() => null); // between two gateways nobody listens
      const reply = (await answer?.json()) as
        { ok: boolean; value: Record<string, unknown> } | undefined;
      return reply?.ok === true ? reply.value : null;
    };
    const status = () => call("gateway.status", {});
    const before = await until("it is up", status);
    const source = { platform: "telegram", chat_id: "7", chat_type: "dm", user_id: "7" };
    const said = await call("channels.simulate", {
      source,
      text: "!sleep 1s slow",
      messageId: "1",
    });
    const key = String(said?.["key"]);
    await until(
      "the turn runs",
      async () => (await call("sessions.get", { key }))?.["state"] === "running",
    );
    const asked = await call("channels.simulate", { source, text: "/restart", messageId: "2" });
    expect(asked?.["reply"]).toBe("Restarting. 1 turn to end first.");

    const after = await until("another gateway", async () => {
      const now = await status();
      return now?.["bootId"] !== before["bootId"] && now?.["state"] === "up" && now;
    });
    expect([after["pid"], after["previousExit"]]).toEqual([pid, "clean"]);
    const { messages } = (await call("sessions.history", { key })) as {
      messages: { text: string }[];
    };
    expect(messages.map(({ text }) => text)).toEqual(["!sleep 1s slow", "You said: slow"]);
    expect(more).toBe(""); // one line is all that a script has to read
    // The platform sends the command again: it was acted on.
    const again = await call("channels.simulate", { source, text: "/restart", messageId: "2" });
    expect(again).toMatchObject({ duplicate: true, reply: null });
    expect((await status())?.["bootId"]).toBe(after["bootId"]);

    child.kill("SIGTERM");
    const [code] = (await once(child, "exit")) as [number | null];
    expect(code).toBe(0);
  },
);

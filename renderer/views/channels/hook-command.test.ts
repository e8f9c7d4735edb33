import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { gatewayAddress, hookCommand, isHookName, newSecret } from "./hook-command.ts";

/** What a POSIX shell makes of the command's body line. */
function bodyOf(command: string): unknown {
  const lines = command.split("\n");
  const body = lines.findIndex((line) => line.startsWith("body="));
  const until = lines.findIndex((line) => line.startsWith("sig="));
  const script = ["ts=7", ...lines.slice(body, until), `printf %s "$body"`].join("\n");
  return JSON.parse(execFileSync("sh", ["-c", script], { encoding: "utf8" })) as unknown;
}
const command = (text: string, secret: string | null = "s") =>
  hookCommand({ url: "http://127.0.0.1:1/hooks/a", secret, secretPlace: "mine", text });

describe.skipIf(process.platform === "win32")("the command to try a hook", () => {
  test.each(["Hello", "it's", `"quoted"`, "two\nlines", "$HOME `id` \\", "Grüße 👋"])(
    "carries %j as it is",
    (text) => {
      expect(bodyOf(command(text))).toEqual({ messageId: "try-7", text });
    },
  );
});

test("a secret that is not known any more leaves its place marked", () => {
  expect(command("x", null).split("\n")[0]).toBe("secret='mine'");
  expect(command("x", "a'b").split("\n")[0]).toBe(String.raw`secret='a'\''b'`);
});

test("secrets are 32 bytes in base64url, and never the same", () => {
  const made = Array.from({ length: 20 }, newSecret);
  for (const secret of made) expect(secret).toMatch(/^[A-Za-z0-9_-]{43}$/);
  expect(new Set(made).size).toBe(20);
});

test.each([
  ["deploys", true],
  ["A-1_b", true],
  ["", false],
  ["-a", false],
  ["a.b", false],
  ["a/b", false],
  ["x".repeat(65), false],
])("%j as a name: %s", (name, fits) => {
  expect(isHookName(name)).toBe(fits);
});

test.each([
  ["http://127.0.0.1:4000", "http://127.0.0.1:4000/hooks/a"],
  ["signalbox://panel", null],
  ["null", null],
])("a window at %s reaches it at %s", (origin, address) => {
  expect(gatewayAddress("/hooks/a", origin)).toBe(address);
});

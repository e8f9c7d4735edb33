import { expect, test } from "vitest";
import { asSessionId } from "../contract/ids.ts";
import { choosePinned } from "./prompt-pin.ts";

const sessionId = asSessionId("s");
const pin = { sessionId, redacted: false, section: "pinned", pinnedAtMs: 0 };
const base = { pin, sessionId, rendered: "rendered", redacted: false, internal: false };

test.each([
  ["a person's turn sends what holds now", base, "rendered", true],
  ["unchanged, nothing is written", { ...base, rendered: "pinned" }, "pinned", false],
  ["an internal turn reuses the pin", { ...base, internal: true }, "pinned", false],
  [
    "but not another session's",
    { ...base, internal: true, sessionId: asSessionId("t") },
    "rendered",
    false,
  ],
  ["nor under another redaction", { ...base, internal: true, redacted: true }, "rendered", false],
  ["nor where there is none", { ...base, internal: true, pin: null }, "rendered", false],
  [
    "switched redaction is pinned anew",
    { ...base, rendered: "pinned", redacted: true },
    "pinned",
    true,
  ],
])("%s", (_name, given, section, pins) => {
  expect(choosePinned(given)).toEqual({ section, pins });
});

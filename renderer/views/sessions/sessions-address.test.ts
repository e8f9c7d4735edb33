import { expect, test } from "vitest";
import { parseSessionFilter } from "../../../core/contract/session-filter.ts";
import { withParams } from "../../shell/location.ts";
import { placeOf } from "../../shell/screens.ts";
import { readAddress, segments, wholeFilter } from "./sessions-address.ts";

test("what was written is read back", () => {
  const address = withParams("/sessions", {
    filter: "channel:telegram idle:>1h anna",
    segment: "needs-me",
    sort: "-tokens",
    open: "agent:main:telegram:dm:41",
    pin: "1",
    selected: ["agent:main:a", "agent:main:b"],
  });
  expect(address).toContain("filter=channel:telegram+idle:%3E1h+anna");
  expect(readAddress(new URLSearchParams(address.split("?")[1]))).toEqual({
    filter: "channel:telegram idle:>1h anna",
    segment: "needs-me",
    sort: "-tokens",
    open: "agent:main:telegram:dm:41",
    pinned: true,
    selected: ["agent:main:a", "agent:main:b"],
  });
});

test("what does not fit is as if it were not there", () => {
  const address = readAddress(new URLSearchParams("segment=best&sort=colour"));
  expect(address).toMatchObject({ segment: "all", sort: "-updated", open: null, selected: [] });
});

test("every segment is a filter the gateway understands", () => {
  for (const segment of segments)
    expect(parseSessionFilter(wholeFilter({ segment, filter: "anna" })).ok).toBe(true);
});

test("a session's address survives any key; a damaged one is nowhere", () => {
  const key = "agent:main:x:a/b?c#d%20 é";
  expect(placeOf(`/sessions/${encodeURIComponent(key)}`)).toEqual({ kind: "session", key });
  expect(placeOf("/sessions/%E0%A4%A")).toEqual({ kind: "nowhere" });
  expect(placeOf("/sessions/a/b")).toEqual({ kind: "nowhere" });
  expect(placeOf("/no-such-place")).toEqual({ kind: "nowhere" });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createSseReader, type SseEvent } from "./sse-reader.ts";

function readAll(bytes: Uint8Array, cuts: readonly number[]): SseEvent[] {
  const take = createSseReader(1_000_000);
  const edges = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
  return edges.slice(1).flatMap((edge, at) => take(bytes.subarray(edges[at], edge)));
}
const utf8 = (text: string) => new TextEncoder().encode(text);

describe("the event-stream reader", () => {
  it.each<[string, string, SseEvent[]]>([
    ["nothing", "", []],
    ["comments only", ": hi\n\n:\n\n", []],
    ["no space after the colon", "data:a\n\n", [{ type: "", data: "a" }]],
    ["one space dropped, a second kept", "data:  a\n\n", [{ type: "", data: " a" }]],
    ["an empty data line", "data:\n\n", [{ type: "", data: "" }]],
    ["a data line without a colon", "data\n\n", [{ type: "", data: "" }]],
    ["an event without data", "event: ping\n\ndata: a\n\n", [{ type: "", data: "a" }]],
    ["two data lines", "data: a\ndata: b\n\n", [{ type: "", data: "a\nb" }]],
    [
      "CR ends",
      "data: a\r\rdata: b\r\r",
      [
        { type: "", data: "a" },
        { type: "", data: "b" },
      ],
    ],
    [
      "CRLF ends",
      "data: a\r\n\r\ndata: b\r\n\r\n",
      [
        { type: "", data: "a" },
        { type: "", data: "b" },
      ],
    ],
    ["a byte-order mark", "\uFEFFdata: a\n\n", [{ type: "", data: "a" }]],
    ["a type", "event: error\ndata: a\n\n", [{ type: "error", data: "a" }]],
    ["an unfinished event at the end", "data: a\n\ndata: b\n", [{ type: "", data: "a" }]],
  ])("%s", (_name, text, events) => {
    expect(readAll(utf8(text), [])).toEqual(events);
  });

  it("reads the same events wherever the bytes are cut", () => {
    const line = fc.oneof(
      fc.constantFrom("data: ", "data:", ": c", "event: e", "id: 1", "", "data"),
      fc.string({ unit: "grapheme", maxLength: 8 }).map((text) => `data: ${text}`),
    );
    const end = fc.constantFrom("\n", "\r", "\r\n");
    const stream = fc
      .array(fc.tuple(line, end), { maxLength: 12 })
      .map((lines) => lines.flat().join(""));
    fc.assert(
      fc.property(stream, fc.array(fc.nat(200), { maxLength: 10 }), (text, cuts) => {
        const bytes = utf8(text);
        const whole = readAll(bytes, []);
        expect(
          readAll(
            bytes,
            cuts.map((cut) => cut % (bytes.length + 1)),
          ),
        ).toEqual(whole);
        expect(readAll(bytes, Array.from(bytes.keys()))).toEqual(whole);
      }),
    );
  });

  it("refuses an event without end before it fills the memory", () => {
    const take = createSseReader(10);
    expect(() => take(utf8("data: far too long"))).toThrow(RangeError);
    const many = createSseReader(10);
    expect(() => many(utf8("data: 1234\ndata: 5678\ndata: 9012\n"))).toThrow(RangeError);
  });
});

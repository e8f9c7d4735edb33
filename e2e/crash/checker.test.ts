import { describe, expect, test } from "vitest";
import { judge } from "./checker.ts";
import type { Evidence, Heard, Said } from "./evidence.ts";

const label = "♻️ Recovered reply (the gateway was restarted; it may be a duplicate)\n\n";

/** The n-th message of a lane, confirmed before the next was sent. */
const said = (n: number, part: Partial<Said> = {}): Said => ({
  id: `m${n}`,
  lane: "a:1",
  kind: "message",
  marks: [`m${n};`],
  sentAt: n * 10,
  ackedAt: n * 10 + 5,
  ...part,
});

const heard = (n: number, part: Partial<Heard> = {}): Heard => ({
  lane: "a:1",
  delivery: `d${n}`,
  part: 1,
  parts: 1,
  kind: "reply",
  replyTo: `m${n}`,
  text: `You said: m${n}; hello`,
  ...part,
});

const notice = (n: number, text = "This message could not be answered. It failed."): Heard =>
  heard(n, { kind: "notice", text, delivery: `n${n}` });

const run = (part: Partial<Evidence>) => {
  const { faults, ...numbers } = judge({
    said: [],
    heard: [],
    fates: [],
    byOperator: new Set(),
    hasty: new Set(),
    reordered: new Set(),
    ...part,
  });
  return { ...numbers, faults: faults.length };
};

const good = {
  accepted: 3,
  answered: 3,
  recovered: 0,
  told: 0,
  lost: 0,
  duplicates: 0,
  outOfOrder: 0,
  faults: 0,
};
const three = [said(1), said(2), said(3)];

describe("a log without a fault", () => {
  test("each answered once, in order", () => {
    expect(run({ said: three, heard: [heard(1), heard(2), heard(3)] })).toEqual(good);
  });

  test("a repeat that says so is a recovered reply", () => {
    const again = heard(2, { text: `${label}You said: m2; hello` });
    expect(run({ said: three, heard: [heard(1), heard(2), again, heard(3)] })).toEqual({
      ...good,
      answered: 2,
      recovered: 1,
    });
  });

  test("a first copy with the label is one too: nobody knew whether there was another", () => {
    const late = heard(2, { text: `${label}You said: m2; hello` });
    expect(run({ said: three, heard: [heard(1), late, heard(3)] })).toMatchObject({
      answered: 2,
      recovered: 1,
      faults: 0,
    });
  });

  test("a notice tells", () => {
    expect(run({ said: three, heard: [heard(1), notice(2), heard(3)] })).toEqual({
      ...good,
      answered: 2,
      told: 1,
    });
  });

  test("a word beside the answer is no answer and no fault", () => {
    const aside = notice(2, "The session before this message was suspended, so …");
    expect(run({ said: three, heard: [heard(1), aside, heard(2), heard(3)] })).toEqual(good);
  });

  test("the person's own confirmed command tells, where the gateway meant to drop it", () => {
    const stop = said(3, { kind: "stop", id: "m3" });
    const fates = [{ id: "m2", outcome: "stopped", mergedInto: null }];
    const log = { said: [said(1), said(2), stop], heard: [heard(1)], fates };
    expect(run(log)).toEqual({ ...good, accepted: 2, answered: 1, told: 1 });
  });

  test("in a hasty lane the next message tells; elsewhere it does not", () => {
    const fates = [{ id: "m1", outcome: "stopped", mergedInto: null }];
    const log = { said: [said(1), said(2)], heard: [heard(2)], fates };
    expect(run({ ...log, hasty: new Set(["a:1"]) })).toMatchObject({ told: 1, lost: 0 });
    expect(run(log)).toMatchObject({ told: 0, lost: 1 });
  });

  test("a message that was put into another one's turn is answered with it", () => {
    const text = "You said: m1; hello\nYou added: m2; hello";
    expect(run({ said: [said(1), said(2)], heard: [heard(1, { text })] })).toMatchObject({
      answered: 2,
      faults: 0,
    });
  });

  test("a piece of a burst is answered with what it joined", () => {
    const text = "You said: m1; hello\nm2; hello";
    const fates = [{ id: "m2", outcome: "merged", mergedInto: "m1" }];
    expect(run({ said: [said(1), said(2)], heard: [heard(1, { text })], fates })).toEqual({
      ...good,
      accepted: 2,
      answered: 2,
    });
  });

  test("a reply in parts counts when all of them are there", () => {
    const first = heard(1, { parts: 2, text: "You said: m1; " });
    const second = heard(1, { parts: 2, part: 2, text: "hello" });
    expect(run({ said: [said(1)], heard: [first, second] })).toMatchObject({ answered: 1 });
    expect(run({ said: [said(1)], heard: [first] })).toMatchObject({ answered: 0, lost: 1 });
  });

  test("what was never confirmed was never promised", () => {
    expect(run({ said: [said(1, { ackedAt: null })] })).toEqual({
      ...good,
      accepted: 0,
      answered: 0,
    });
  });
});

describe("a fault that is put in is found", () => {
  test("a loss", () => {
    expect(run({ said: three, heard: [heard(1), heard(3)] })).toEqual({
      ...good,
      answered: 2,
      lost: 1,
      faults: 1,
    });
  });

  test("a duplicate without its label", () => {
    expect(run({ said: three, heard: [heard(1), heard(2), heard(2), heard(3)] })).toMatchObject({
      duplicates: 1,
      lost: 0,
      faults: 1,
    });
  });

  test("a second reply to one message, under another name", () => {
    const twice = heard(2, { delivery: "other" });
    expect(run({ said: three, heard: [heard(1), heard(2), twice, heard(3)] })).toMatchObject({
      duplicates: 1,
      faults: 1,
    });
  });

  test("a swap", () => {
    expect(run({ said: three, heard: [heard(2), heard(1), heard(3)] })).toEqual({
      ...good,
      outOfOrder: 1,
      faults: 1,
    });
  });

  test("a swap across the lane, not only of neighbours", () => {
    expect(run({ said: three, heard: [heard(3), heard(1), heard(2)] })).toMatchObject({
      outOfOrder: 1, // the one that was too early
    });
  });

  test("no swap: two messages that were on their way at the same time, other lanes, the operator's order", () => {
    const beside = said(2, { sentAt: 12, ackedAt: 14 });
    expect(run({ said: [said(1), beside], heard: [heard(2), heard(1)] })).toMatchObject({
      outOfOrder: 0,
    });
    const elsewhere = said(2, { lane: "b:1" });
    expect(run({ said: [said(1), elsewhere], heard: [heard(2), heard(1)] })).toMatchObject({
      outOfOrder: 0,
    });
    const reordered = new Set(["a:1"]);
    expect(run({ said: three, heard: [heard(3), heard(2), heard(1)], reordered })).toMatchObject({
      outOfOrder: 0,
    });
  });

  test("a reply that lacks what it answers", () => {
    const torn = heard(1, { text: "You said: something else" });
    expect(run({ said: [said(1)], heard: [torn] })).toMatchObject({ lost: 1 });
  });

  test("an answer, and then the word that it was given up", () => {
    expect(run({ said: [said(1)], heard: [heard(1), notice(1)] })).toMatchObject({
      answered: 1,
      duplicates: 1,
    });
  });

  test("a message that nobody dropped is lost, whatever command was confirmed", () => {
    const stop = said(2, { kind: "stop" });
    const fates = [{ id: "m1", outcome: "answered", mergedInto: null }];
    expect(run({ said: [said(1), stop], fates })).toMatchObject({ told: 0, lost: 1 });
  });

  test("a command of long before does not excuse a later loss", () => {
    const stop = said(1, { kind: "stop" });
    const fates = [{ id: "m2", outcome: "stopped", mergedInto: null }];
    expect(run({ said: [stop, said(2)], fates })).toMatchObject({ told: 0, lost: 1 });
  });

  test("a delivery that answers nothing, a notice that nobody knows", () => {
    expect(run({ said: [said(1)], heard: [heard(1), heard(9)] })).toMatchObject({ faults: 1 });
    expect(run({ said: [said(1)], heard: [heard(1), notice(1, "Hm.")] })).toMatchObject({
      faults: 1,
    });
  });
});

import type { Evidence, Fate, Heard, Said } from "./evidence.ts";

export interface Verdict {
  /** Messages of people that the gateway confirmed. */
  accepted: number;
  /** Their whole reply arrived, once. */
  answered: number;
  /** It arrived more than once, or late, and every repeat says so. */
  recovered: number;
  /** No reply, and the person knows: a notice, or their own `/stop` or `/new` that was confirmed. */
  told: number;
  lost: number;
  /** Repeats without the label. */
  duplicates: number;
  outOfOrder: number;
  /** One sentence for each fault. */
  faults: string[];
}

/** How the visible label of a possible duplicate begins (lifecycle 11.4). */
const label = /^♻️ Recovered reply[^\n]*\n\n/u;

/** Notices that end a message: the person knows that no reply will come. */
const endings = [
  /^This message could not be answered\./,
  /^The agent (answered with a silence marker only|finished without a reply)/,
  /^This conversation was suspended: the gateway was stopped/,
  /^The gateway was stopped while it worked on this/,
  /^Stopped/,
  /^This message was dropped/,
];
/** Notices beside an answer. */
const asides = [/^The session before this message was suspended/];

const unlabelled = (text: string): string => text.replace(label, "");

interface Delivery {
  /** Position in the server's record of its first copy. */
  firstAt: number;
  kind: Heard["kind"];
  parts: number;
  /** Copies of each part, in order of arrival. */
  copies: Map<number, { labelled: boolean; text: string }[]>;
}

/**
 * Judges a whole run by what people sent and what they got: for every accepted message exactly one of answered,
 * recovered, told; in order, per lane (architecture, "The promise").
 */
export function judge(evidence: Evidence): Verdict {
  const faults: string[] = [];
  const verdict: Verdict = {
    accepted: 0,
    answered: 0,
    recovered: 0,
    told: 0,
    lost: 0,
    duplicates: 0,
    outOfOrder: 0,
    faults,
  };
  const deliveries = collect(evidence.heard);
  const byMessage = new Map<string, [string, Delivery][]>();
  for (const [id, { delivery, replyTo }] of deliveries) {
    const key = replyTo ?? "";
    byMessage.set(key, [...(byMessage.get(key) ?? []), [id, delivery]]);
  }
  const fates = new Map(evidence.fates.map((fate) => [fate.id, fate]));
  const messages = evidence.said.filter(
    (one) => one.ackedAt !== null && (one.kind === "message" || one.kind === "queue"),
  );
  const known = new Set(evidence.said.map((one) => one.id));
  for (const heard of evidence.heard)
    if (heard.replyTo === null || !known.has(heard.replyTo))
      faults.push(`${heard.lane}: a delivery answers nothing that was sent (${heard.replyTo})`);

  const duplicates = countRepeats(deliveries, faults);
  verdict.duplicates = duplicates.unlabelled;
  const settledAt = new Map<string, number>();

  for (const message of messages) {
    verdict.accepted += 1;
    const head = headOf(message.id, fates);
    const steered = steeredInto(message, deliveries);
    const mine = [...(byMessage.get(head) ?? []), ...steered];
    const replies = mine.filter(([, delivery]) => delivery.kind === "reply");
    const endingNotices = mine.filter(
      ([, delivery]) => delivery.kind === "notice" && isEnding(delivery, message, faults),
    );
    const whole = replies.filter(([, delivery]) => isWhole(delivery, message));
    const first = [...whole, ...endingNotices].toSorted((a, b) => a[1].firstAt - b[1].firstAt)[0];
    // What is put into the running turn goes before what waits: that is what its person asked for.
    const isInTurn = steered.length === 0 && !mine.some(([id]) => evidence.byOperator.has(id));
    if (first && isInTurn) settledAt.set(message.id, first[1].firstAt);
    if (whole.length > 1) {
      verdict.duplicates += whole.length - 1;
      faults.push(`${message.lane}: ${message.id} was answered by ${whole.length} replies`);
    }
    if (whole.length > 0) {
      if (whole.some(([id]) => duplicates.repeated.has(id))) verdict.recovered += 1;
      else verdict.answered += 1;
      if (endingNotices.some(([, notice]) => notice.firstAt > (whole[0]?.[1].firstAt ?? 0))) {
        verdict.duplicates += 1;
        faults.push(`${message.lane}: ${message.id} was answered and then given up`);
      }
    } else if (endingNotices.length > 0 || isToldByOwnCommand(message, head, evidence, fates)) {
      verdict.told += 1;
    } else {
      verdict.lost += 1;
      const outcome = fates.get(head)?.outcome ?? "not in the journal";
      faults.push(
        `${message.lane}: ${message.id} is lost (journal: ${outcome}; ${replies.length} replies in part)`,
      );
    }
  }
  verdict.outOfOrder = countSwaps(messages, settledAt, evidence, faults);
  return verdict;
}

function collect(
  heard: readonly Heard[],
): Map<string, { delivery: Delivery; replyTo: string | null; lane: string }> {
  const deliveries = new Map<
    string,
    { delivery: Delivery; replyTo: string | null; lane: string }
  >();
  heard.forEach((one, at) => {
    const fresh: Delivery = { firstAt: at, kind: one.kind, parts: one.parts, copies: new Map() };
    const found = deliveries.get(one.delivery) ?? {
      delivery: fresh,
      replyTo: one.replyTo,
      lane: one.lane,
    };
    const copy = { labelled: label.test(one.text), text: unlabelled(one.text) };
    const { copies } = found.delivery;
    copies.set(one.part, [...(copies.get(one.part) ?? []), copy]);
    deliveries.set(one.delivery, found);
  });
  return deliveries;
}

/** Deliveries that came, or may have come, more than once, and repeats that do not say so. */
function countRepeats(
  deliveries: ReturnType<typeof collect>,
  faults: string[],
): { unlabelled: number; repeated: Set<string> } {
  const repeated = new Set<string>();
  let count = 0;
  for (const [id, { delivery, replyTo }] of deliveries)
    for (const [part, copies] of delivery.copies) {
      if (copies.length > 1 || copies.some((copy) => copy.labelled)) repeated.add(id);
      const bare = copies.slice(1).filter((copy) => !copy.labelled).length;
      if (bare > 0) faults.push(`${replyTo}: part ${part} of ${id} came again without its label`);
      count += bare;
    }
  return { unlabelled: count, repeated };
}

/** Replies of other messages' turns that this one was put into (lifecycle 12.3). */
function steeredInto(
  { id, lane, marks }: Said,
  deliveries: ReturnType<typeof collect>,
): [string, Delivery][] {
  const [mark] = marks;
  if (mark === undefined) return [];
  return [...deliveries].flatMap(
    ([name, { delivery, replyTo, lane: where }]): [string, Delivery][] => {
      if (where !== lane || replyTo === id) return [];
      const text = delivery.copies.get(1)?.[0]?.text ?? "";
      const added = text
        .split("\n")
        .some((line) => line.startsWith("You added:") && line.includes(mark));
      return added ? [[name, delivery]] : [];
    },
  );
}

/** The message that carries a piece of a burst, else the message itself. */
function headOf(id: string, fates: ReadonlyMap<string, Fate>): string {
  const into = fates.get(id)?.mergedInto;
  return into == null ? id : headOf(into, fates);
}

function isWhole(delivery: Delivery, message: Said): boolean {
  let text = "";
  for (let part = 1; part <= delivery.parts; part += 1) {
    const copy = delivery.copies.get(part)?.[0];
    if (!copy) return false;
    text += copy.text;
  }
  return message.marks.every((mark) => text.includes(mark));
}

function isEnding(delivery: Delivery, message: Said, faults: string[]): boolean {
  const text = delivery.copies.get(1)?.[0]?.text ?? "";
  if (endings.some((ending) => ending.test(text))) return true;
  if (!asides.some((aside) => aside.test(text)))
    faults.push(`${message.lane}: a notice that the checker does not know: ${text}`);
  return false;
}

/**
 * Whether the person took it back themselves: by a confirmed `/stop` or `/new` that was not over before it was sent, or, in
 * a hasty lane, by their next message.
 */
function isToldByOwnCommand(
  message: Said,
  head: string,
  { said, hasty }: Evidence,
  fates: ReadonlyMap<string, Fate>,
): boolean {
  const outcome = fates.get(head)?.outcome;
  if (outcome !== "dropped" && outcome !== "stopped") return false; // only what the gateway meant to drop
  const takesBack = (one: Said): boolean =>
    one.kind === "stop" ||
    one.kind === "new" ||
    (hasty.has(one.lane) && one.kind === "message" && one.sentAt > message.sentAt);
  return said.some(
    (one) =>
      takesBack(one) &&
      one.lane === message.lane &&
      one.ackedAt !== null &&
      one.ackedAt > message.sentAt,
  );
}

/** Pairs of neighbours in a lane, one confirmed before the other was sent, that were settled the other way round. */
function countSwaps(
  messages: readonly Said[],
  settledAt: ReadonlyMap<string, number>,
  { reordered }: Evidence,
  faults: string[],
): number {
  const lanes = new Map<string, Said[]>();
  for (const message of messages)
    if (settledAt.has(message.id) && !reordered.has(message.lane))
      lanes.set(message.lane, [...(lanes.get(message.lane) ?? []), message]);
  let swaps = 0;
  for (const lane of lanes.values()) {
    // Behind every message stands the latest delivery of those that were confirmed before it was sent.
    const bySent = lane.toSorted((a, b) => a.sentAt - b.sentAt);
    const byAcked = lane.toSorted((a, b) => (a.ackedAt ?? 0) - (b.ackedAt ?? 0));
    let next = 0;
    let latest: { at: number; id: string } | null = null;
    for (const message of bySent) {
      for (
        let one = byAcked[next];
        one && (one.ackedAt ?? 0) < message.sentAt;
        one = byAcked[next]
      ) {
        const at = settledAt.get(one.id) ?? 0;
        if (!latest || at > latest.at) latest = { at, id: one.id };
        next += 1;
      }
      const at = settledAt.get(message.id) ?? 0;
      if (latest && at < latest.at) {
        swaps += 1;
        faults.push(
          `${message.lane}: ${message.id} was settled before ${latest.id}, which came first`,
        );
      }
    }
  }
  return swaps;
}

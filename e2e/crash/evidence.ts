/** A message or command of a person, as the driver that sent it knows it. Times are the driver's own clock, in ms. */
export interface Said {
  id: string;
  lane: string;
  kind: "message" | "queue" | "stop" | "new" | "setting";
  /** Words that a whole reply to it carries; empty where the reply is not made of its text. */
  marks: string[];
  sentAt: number;
  /** When it was confirmed; null where it never was. */
  ackedAt: number | null;
}

/** A request that the recording server took for a delivery: what the person in the chat has before them, in order. */
export interface Heard {
  lane: string;
  /** The obligation that it pays. */
  delivery: string;
  /** Of a reply in parts; 1 of 1 otherwise. */
  part: number;
  parts: number;
  kind: "reply" | "notice";
  replyTo: string | null;
  text: string;
}

/** What the gateway's own journal says became of a message: told only, never believed where the person saw something else. */
export interface Fate {
  id: string;
  outcome: string | null;
  /** The message that this one joined as a piece of a burst. */
  mergedInto: string | null;
}

export interface Evidence {
  said: readonly Said[];
  heard: readonly Heard[];
  fates: readonly Fate[];
  /** Deliveries that the operator sent again by hand: they come when the operator says. */
  byOperator: ReadonlySet<string>;
  /** Lanes in which a message cuts the turn before it: its person knows, for it was theirs. */
  hasty: ReadonlySet<string>;
  /** Lanes in which the operator changed the order. */
  reordered: ReadonlySet<string>;
}

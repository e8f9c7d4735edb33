import { asSessionKey, type SessionKey } from "../../../core/contract/ids.ts";

export const segments = ["needs-me", "running", "suspended", "all"] as const;
export type Segment = (typeof segments)[number];

/** What the address of the Sessions screen holds, so that a reload or a link restores it. */
export interface SessionsAddress {
  segment: Segment;
  filter: string;
  sort: string;
  selected: readonly SessionKey[];
  /** The session in the inspector, and whether it stays while the list moves on. */
  open: SessionKey | null;
  pinned: boolean;
}

export const DEFAULT_SORT = "-updated";

/** Selections larger than this are not written into the address: browsers cut long ones. */
export const SELECTED_IN_ADDRESS = 50;

/** Reads the address; whatever does not fit is as if it were not there. */
export function readAddress(params: URLSearchParams): SessionsAddress {
  const open = params.get("open");
  const sort = params.get("sort") ?? DEFAULT_SORT;
  return {
    segment: segments.find((one) => one === params.get("segment")) ?? "all",
    filter: params.get("filter") ?? "",
    sort: /^-?(updated|created|title|state|queue|tokens|key)$/.test(sort) ? sort : DEFAULT_SORT,
    selected: params.getAll("selected").map(asSessionKey),
    open: open === null ? null : asSessionKey(open),
    pinned: params.get("pin") === "1",
  };
}

const segmentFilters: Record<Segment, string> = {
  "needs-me": "state:needs-me",
  running: "state:running",
  suspended: "state:suspended",
  all: "",
};

/** The filter to ask the gateway with: what the segment means, and what was typed. */
export const wholeFilter = ({ segment, filter }: Pick<SessionsAddress, "segment" | "filter">) =>
  `${segmentFilters[segment]} ${filter}`.trim();

import { createStore } from "zustand/vanilla";
import type { Bridge } from "../../core/contract/bridge.ts";
import type { CallOutput } from "../../core/contract/calls.ts";
import type { SessionRow } from "../../core/contract/domain.ts";
import type { WireError } from "../../core/contract/errors.ts";
import type { SessionKey } from "../../core/contract/ids.ts";
import { parseSessionFilter, type SessionTerm } from "../../core/contract/session-filter.ts";
import {
  emptyView,
  foldDelta,
  PAGE_ROWS,
  withPages,
  type PulledPage,
  type SessionsQuery,
  type SessionsView,
} from "./sessions-view.ts";
import type { Timer } from "./timer.ts";

export interface SessionsState extends SessionsView {
  /** A pull of the whole view is under way (first load, new filter). */
  loading: boolean;
  /** The last pull failed; what is here is from before. */
  error: WireError | null;
  /** The operator paused the view: pushes are counted, not shown. */
  paused: boolean;
  /** Somebody's pointer, focus or scroll position is on the rows: places stand still. */
  held: boolean;
  /** Lanes that changed while paused. */
  missed: ReadonlySet<SessionKey>;
  /** When the view last equalled the gateway's, this machine's clock. */
  freshAtMs: number | null;
}

const PULL_PAUSE_MS = 300; // a busy gateway changes places many times a second; eyes follow three
const KEPT_PAGES = 60;

/** The sessions list: pages of rows, kept true by pushes, asked again in doubt. One for the whole panel. */
export function sessionsStore(bridge: Bridge, timer: Timer, gatewayNowMs: () => number) {
  const query: SessionsQuery = { filter: "", sort: "-updated" };
  const store = createStore<SessionsState>(() => ({
    ...emptyView(query),
    loading: true,
    error: null,
    paused: false,
    held: false,
    missed: new Set(),
    freshAtMs: null,
  }));
  let terms: readonly SessionTerm[] = [];
  let generation = 0;
  let wanted = { first: 0, last: PAGE_ROWS - 1 };
  let started = false;
  const asked = new Set<number>();
  /** Rows pushed since each pull that is under way began. */
  const underWay = new Set<Map<SessionKey, SessionRow>>();
  let cancelPull: (() => void) | null = null;

  const wantedPages = () => {
    const first = Math.floor(wanted.first / PAGE_ROWS);
    const last = Math.max(first, Math.floor(wanted.last / PAGE_ROWS));
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  };

  /** Fetches pages of the present order; with `replace`, all that are wanted, dropping the rest. */
  const fetchPages = async (pages: readonly number[], replace: boolean) => {
    if (replace) {
      generation += 1;
      asked.clear();
    }
    const mine = generation;
    const { filter, sort } = store.getState().query;
    const newer = new Map<SessionKey, SessionRow>();
    underWay.add(newer);
    for (const page of pages) asked.add(page);
    const replies = await Promise.all(
      pages.map((page) =>
        bridge.call("sessions.list", { filter, sort, limit: PAGE_ROWS, offset: page * PAGE_ROWS }),
      ),
    );
    underWay.delete(newer);
    if (mine !== generation) return; // a late reply never replaces newer rows
    for (const page of pages) asked.delete(page);
    const pulled: (PulledPage & { answer: CallOutput<"sessions.list"> })[] = [];
    for (const [at, reply] of replies.entries()) {
      if (!reply.ok) {
        store.setState({ loading: false, error: reply.error });
        return;
      }
      pulled.push({ page: pages[at] ?? 0, sessions: reply.value.sessions, answer: reply.value });
    }
    const answer = pulled[0]?.answer;
    if (answer === undefined) return;
    const tooMany = store.getState().pages.size > KEPT_PAGES;
    store.setState((state) => ({
      ...withPages(state, pulled, answer, newer, replace || tooMany),
      loading: false,
      error: null,
      ...(replace ? { freshAtMs: timer.nowMs(), missed: new Set() } : {}),
    }));
  };

  const pull = () => {
    cancelPull?.();
    cancelPull = null;
    return fetchPages(wantedPages(), true);
  };

  const pullSoon = () => {
    cancelPull ??= timer.after(PULL_PAUSE_MS, () => {
      void pull();
    });
  };

  const setQuery = (next: SessionsQuery) => {
    const state = store.getState();
    const same = state.query.filter === next.filter && state.query.sort === next.sort;
    const filter = parseSessionFilter(next.filter);
    if (!filter.ok || (same && state.total !== null)) return;
    terms = filter.terms;
    wanted = { first: 0, last: PAGE_ROWS - 1 };
    store.setState({ query: next, loading: true });
    if (started) void pull();
  };

  return {
    store,
    actions: {
      /** Shows another filter or order. A filter with a fault in it changes nothing. */
      setQuery,
      /** What of the list is on screen: pages that are not here yet are fetched. */
      want(first: number, last: number) {
        wanted = { first, last };
        const missing = wantedPages().filter(
          (page) => !store.getState().pages.has(page) && !asked.has(page),
        );
        if (missing.length > 0 && started && !store.getState().loading)
          void fetchPages(missing, false);
      },
      /** While the list is hovered, scrolled or focused, places stand still. */
      hold(still: boolean) {
        const { held, moved } = store.getState();
        if (held !== still) store.setState({ held: still });
        if (!still && moved.size > 0) pullSoon();
      },
      /** Shows what waits: new order, new rows. */
      pull,
      /** A row as a receipt told it, ahead of the push. */
      put(row: SessionRow) {
        const { counts } = store.getState();
        if (counts === null) return;
        const delta = { upserts: [row], removed: [], counts };
        store.setState((state) => foldDelta(state, delta, terms, gatewayNowMs()));
      },
      setPaused(paused: boolean) {
        store.setState({ paused });
        if (!paused && store.getState().missed.size > 0) void pull();
      },
    },
    /** Listens until the returned function is called. */
    start() {
      started = true;
      const stops = [
        bridge.on("sessions.delta", (delta) => {
          for (const newer of underWay) for (const row of delta.upserts) newer.set(row.key, row);
          const state = store.getState();
          if (state.total === null) return;
          if (state.paused) {
            const missed = new Set(state.missed);
            for (const row of delta.upserts) missed.add(row.key);
            for (const key of delta.removed) missed.add(key);
            store.setState({ missed, counts: delta.counts });
            return;
          }
          const view = foldDelta(state, delta, terms, gatewayNowMs());
          store.setState({ ...view, freshAtMs: timer.nowMs() });
          if (view.moved.size > 0 && !state.held) pullSoon();
        }),
        bridge.onLink((news) => {
          if (news === "gap" || (news === "up" && store.getState().total === null)) {
            if (store.getState().total === null) store.setState({ loading: true });
            void pull();
          }
        }),
      ];
      return () => {
        started = false;
        cancelPull?.();
        for (const stop of stops) stop();
      };
    },
  };
}

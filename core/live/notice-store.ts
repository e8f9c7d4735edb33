import type { Notice } from "../contract/domain.ts";
import type { Database } from "../state/database.ts";

export interface NewNotice {
  kind: Notice["kind"];
  title: string;
  body: string;
  link: string | null;
  /** Unseen notices of one group are one entry that counts up (ux.md 8.2). */
  group: string | null;
  /** By how much it counts; default 1. */
  add?: number;
}

interface Row extends Omit<Notice, "seen"> {
  seen: 0 | 1;
}

export type NoticeStore = ReturnType<typeof noticeStore>;

const columns = `id, at AS atMs, kind, title, body, link, count, seen`;
const toNotice = (row: Row): Notice => ({ ...row, seen: row.seen === 1 });

/** The notices panel's record, kept for 30 days (ux.md 8.5). Callers bring the transaction. */
export function noticeStore({ sql }: Database) {
  const raise = sql.prepare<
    [number, string, string, string, string | null, string | null, number],
    Row
  >(`
    INSERT INTO notices (at, kind, title, body, link, group_key, count) VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT(group_key) WHERE group_key IS NOT NULL AND seen = 0
      DO UPDATE SET at = excluded.at, title = excluded.title, body = excluded.body, link = excluded.link, count = count + excluded.count
    RETURNING ${columns}`);
  const list = sql.prepare<[number, number], Row>(
    `SELECT ${columns} FROM notices WHERE id < ? ORDER BY id DESC LIMIT ?`,
  );
  const unseen = sql.prepare<[], { n: number }>(`SELECT count(*) AS n FROM notices WHERE seen = 0`);
  const seen = sql.prepare<[number]>(`UPDATE notices SET seen = 1 WHERE id <= ? AND seen = 0`);
  const prune = sql.prepare<[number]>(`DELETE FROM notices WHERE at < ?`);
  return {
    raise(notice: NewNotice, nowMs: number): Notice | undefined {
      const row = raise.get(
        nowMs,
        notice.kind,
        notice.title,
        notice.body,
        notice.link,
        notice.group,
        notice.add ?? 1,
      );
      return row && toNotice(row);
    },
    list: (before: number, limit: number): Notice[] => list.all(before, limit).map(toNotice),
    unseen: (): number => unseen.get()?.n ?? 0,
    markSeen(through: number): void {
      seen.run(through);
    },
    prune(beforeMs: number): void {
      prune.run(beforeMs);
    },
  };
}

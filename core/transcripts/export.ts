import { z } from "zod";
import { SignalboxError } from "../contract/errors.ts";
import type { SessionId } from "../contract/ids.ts";
import type { Database } from "../state/database.ts";
import { exportRows } from "./export-rows.ts";
import { json, markdown } from "./export-text.ts";
import type { ExportFormat } from "./export-text.ts";

/** Characters in one piece; a longer row is a piece of its own. */
const pieceLength = 262_144;

export interface ExportRequest {
  sessionId: SessionId;
  format: "markdown" | "json";
  cursor: string | null;
}

export interface ExportPiece {
  fileName: string;
  mediaType: string;
  chunk: string;
  nextCursor: string | null;
}

const formats: Record<ExportRequest["format"], ExportFormat> = { markdown, json };

/** Where an export is: behind which row, and which is its last. A number: after that many rows. */
const place = z.tuple([z.string(), z.int().min(0), z.int().min(0), z.int().min(0)]);

/**
 * Exports a transcript piece by piece, as it was when the first piece was asked for: nothing is kept between two of them.
 * Rewound rows are left out, summarised ones are in; tool calls and their results are whole.
 *
 * @param hideSecrets Takes out what the gateway itself keeps secret, should it have got into a conversation.
 */
export function createExport(db: Database, hideSecrets: (text: string) => string) {
  const rows = exportRows(db);
  return {
    /** @throws {SignalboxError} E_NOT_FOUND; E_INPUT for a cursor of another export. */
    piece({ sessionId, format: name, cursor }: ExportRequest): ExportPiece {
      const session = rows.session(sessionId);
      if (!session)
        throw new SignalboxError("E_NOT_FOUND", "There is no session with this id.", {
          field: "sessionId",
        });
      const format = formats[name];
      const at = cursor === null ? null : decoded(cursor, `${name} ${sessionId}`);
      const through = at?.through ?? rows.last(sessionId);
      const page = rows.page(sessionId, at?.after ?? 0, through, pieceLength);
      const count = at?.count ?? 0;
      const last = page.at(-1);
      const isEnd = last === undefined || last.id >= through;
      const chunk = [
        ...(at ? [] : [format.head(session)]),
        ...page.map((row, index) => format.row(row, count + index === 0)),
        ...(isEnd ? [format.tail()] : []),
      ].join("");
      return {
        fileName: `${sessionId.replace(/[^\w.-]/g, "_")}.${format.extension}`,
        mediaType: format.mediaType,
        chunk: hideSecrets(chunk),
        nextCursor: isEnd
          ? null
          : encoded(`${name} ${sessionId}`, last.id, through, count + page.length),
      };
    },
  };
}

const encoded = (of: string, after: number, through: number, count: number): string =>
  Buffer.from(JSON.stringify([of, after, through, count])).toString("base64url");

function decoded(cursor: string, of: string): { after: number; through: number; count: number } {
  try {
    const read = place.parse(JSON.parse(Buffer.from(cursor, "base64url").toString()));
    if (read[0] === of) return { after: read[1], through: read[2], count: read[3] };
  } catch {
    // falls through: one answer for every cursor that is not ours
  }
  throw new SignalboxError("E_INPUT", "This cursor belongs to another export; begin without one.", {
    field: "cursor",
  });
}

import type { SessionKey } from "../../core/contract/ids.ts";

/** Where unsent text is kept: `localStorage`, or anything like it. */
export type DraftPlace = Pick<Storage, "getItem" | "setItem" | "removeItem">;

const at = (key: SessionKey) => `signalbox.draft ${key}`;

/** Unsent text per lane: typed words outlive a reload, a crash and a failed send. */
export function drafts(place: DraftPlace) {
  return {
    read: (key: SessionKey): string => {
      try {
        return place.getItem(at(key)) ?? "";
      } catch {
        return ""; // storage may be refused altogether
      }
    },
    keep(key: SessionKey, text: string) {
      try {
        if (text === "") place.removeItem(at(key));
        else place.setItem(at(key), text);
      } catch {
        // full or refused: the text still stands in the field
      }
    },
  };
}

export type Drafts = ReturnType<typeof drafts>;

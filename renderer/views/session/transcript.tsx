import { useVirtualizer } from "@tanstack/react-virtual";
import ArrowDown from "lucide-react/icons/arrow-down";
import { useEffect, useMemo, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import type { SessionDetail } from "../../../core/contract/domain.ts";
import { Button } from "../../components/button.tsx";
import { Empty } from "../../components/empty.tsx";
import { Failure } from "../../components/failure.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { useCommands } from "../../keys/use-commands.ts";
import type { Composer } from "../../stores/composer.ts";
import type { Transcript as TranscriptStore } from "../../stores/transcript.ts";
import { FindBar } from "./find-bar.tsx";
import { TranscriptItemView } from "./transcript-item.tsx";
import { guessedLines, matchingItems, transcriptItems } from "./transcript-items.ts";
import css from "./transcript.module.css";
import { useTail } from "./use-tail.ts";

export interface TranscriptProps {
  transcript: TranscriptStore;
  composer: Composer;
  detail: SessionDetail | null;
  /** Find in page, opened from the header or by key; null is closed. */
  find: string | null;
  onFind: (words: string | null) => void;
}

const LINE = 20; // a guess of the height of a line until an item is measured
const STEP = 2 * LINE;
const NEAR_START = 6;

/** What was said, oldest first: pages upward, follows the end until somebody scrolls, writes along while a reply grows. */
export function Transcript({ transcript, composer, detail, find, onFind }: TranscriptProps) {
  const { t } = useTranslation();
  const state = useStore(transcript.store);
  const { outgoing, answers } = useStore(composer.store);
  const scroller = useRef<HTMLDivElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const [found, setFound] = useState(0);
  const waiting = detail?.waiting ?? none;
  const { messages, hasMore, loaded, live } = state;
  const items = useMemo(
    () => transcriptItems({ messages, hasMore, loaded, live, waiting, outgoing, answers }),
    [messages, hasMore, loaded, live, waiting, outgoing, answers],
  );
  useEffect(() => {
    composer.actions.seen(
      waiting.map((item) => item.inputId),
      messages.slice(-8),
    );
  }, [composer, waiting, messages]);

  // oxlint-disable-next-line react/incompatible-library -- it redraws by itself; nothing here is memoised on it
  const virtual = useVirtualizer<HTMLDivElement, HTMLDivElement>({
    count: items.length,
    getScrollElement: () => scroller.current,
    getItemKey: (index) => items[index]?.key ?? index,
    estimateSize: (index) => {
      const item = items[index];
      return item === undefined ? LINE : guessedLines(item, 80) * LINE;
    },
    overscan: 4,
    anchorTo: "end",
  });

  const size = virtual.getTotalSize();
  const { follows, toEnd, letGo, handlers } = useTail(scroller, size);

  const shown = virtual.getVirtualItems();
  const firstShown = shown[0]?.index ?? 0;
  useEffect(() => {
    // While it follows the end, nobody looks at the start, however few rows there are.
    if (hasMore && !follows && firstShown < NEAR_START) void transcript.actions.older();
  }, [transcript, hasMore, follows, firstShown, messages.length]);

  // What the operator sends is something to look at, wherever the view was.
  const sentCount = outgoing.length;
  useEffect(() => {
    if (sentCount > 0) toEnd();
  }, [toEnd, sentCount]);

  const matches = useMemo(() => (find === null ? [] : matchingItems(items, find)), [items, find]);
  const showMatch = (found: readonly number[], at: number) => {
    setFound(at);
    const index = found[at];
    if (index === undefined) return;
    letGo();
    virtual.scrollToIndex(index, { align: "center" });
  };
  useCommands(
    {
      "row.last": () => {
        toEnd();
        return true;
      },
      "row.first": () => {
        letGo();
        virtual.scrollToIndex(0);
        return true;
      },
      "row.next": () => {
        scroller.current?.scrollBy({ top: STEP });
        return true;
      },
      "row.previous": () => {
        scroller.current?.scrollBy({ top: -STEP });
        return true;
      },
      "app.filter": () => {
        onFind("");
        return true;
      },
    },
    box,
  );

  if (!loaded && state.error !== null)
    return <Failure error={state.error} onRetry={() => void transcript.actions.pull()} />;
  return (
    <div ref={box} className={css["box"]}>
      {find !== null && (
        <FindBar
          words={find}
          at={matches.length === 0 ? 0 : (found % matches.length) + 1}
          total={matches.length}
          whole={!hasMore}
          place={scroller}
          onWords={(words) => {
            onFind(words);
            if (words !== null) showMatch(matchingItems(items, words), 0);
          }}
          onStep={(step) => {
            if (matches.length > 0)
              showMatch(matches, (found + step + matches.length) % matches.length);
          }}
        />
      )}
      {!loaded && (
        <div className={css["loading"]}>
          <Skeleton width={60} lines={3} />
          <Skeleton width={48} lines={2} />
        </div>
      )}
      {loaded && items.length === 0 && <Empty title={t("session.transcript.empty")} />}
      <div
        ref={scroller}
        className={css["scroller"]}
        role="log"
        aria-label={t("session.transcript.label")}
        aria-live="off"
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, so keys must reach it
        tabIndex={0}
        data-keys="list"
        hidden={items.length === 0}
        {...handlers}
      >
        <div className={css["items"]} style={{ blockSize: `${size}px` }}>
          {shown.map(({ key, index, start }) => {
            const item = items[index];
            return (
              item && (
                <div
                  key={key}
                  ref={virtual.measureElement}
                  data-index={index}
                  data-match={matches[found] === index || undefined}
                  className={css["item"]}
                  style={{ transform: `translateY(${start}px)` }}
                >
                  <TranscriptItemView item={item} agent={detail?.agentId ?? null} />
                </div>
              )
            );
          })}
        </div>
      </div>
      {!follows && items.length > 0 && (
        <div className={css["toEnd"]}>
          <Button size="small" icon={ArrowDown} onClick={toEnd}>
            {t(live === null ? "session.transcript.toEnd" : "session.transcript.newBelow")}
          </Button>
        </div>
      )}
    </div>
  );
}

const none: SessionDetail["waiting"] = [];

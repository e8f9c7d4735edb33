import ChevronDown from "lucide-react/icons/chevron-down";
import ChevronUp from "lucide-react/icons/chevron-up";
import X from "lucide-react/icons/x";
import { useEffect, useRef, type RefObject } from "react";
import { useTranslation } from "react-i18next";
import { IconButton } from "../../components/icon-button.tsx";
import { TextInput } from "../../components/text-input.tsx";
import { useCommands } from "../../keys/use-commands.ts";
import css from "./find-bar.module.css";

export interface FindBarProps {
  words: string;
  /** The match in view, from 1; 0 is none. */
  at: number;
  total: number;
  /** Everything there is to search is here. */
  whole: boolean;
  /** Where the words are marked. */
  place: RefObject<HTMLElement | null>;
  onWords: (words: string | null) => void;
  onStep: (step: number) => void;
}

/** Find in the transcript: the browser's own search would see only the few messages that are drawn. */
export function FindBar(props: FindBarProps) {
  const { words, at, total, whole, place, onWords, onStep } = props;
  const { t } = useTranslation();
  const bar = useRef<HTMLElement>(null);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    field.current?.focus();
  }, []);
  useMarks(place, words);
  const close = () => {
    onWords(null);
    place.current?.focus();
  };
  useCommands(
    {
      "app.back": () => {
        close();
        return true;
      },
    },
    bar,
  );
  return (
    <search ref={bar} className={css["bar"]}>
      <TextInput
        ref={field}
        wide
        value={words}
        label={t("session.transcript.find")}
        placeholder={t("session.transcript.find")}
        onChange={onWords}
        onKeyDown={(event) => {
          if (event.key !== "Enter") return;
          event.preventDefault();
          onStep(event.shiftKey ? -1 : 1);
        }}
      />
      <output className={css["count"]}>
        {words.trim() === ""
          ? ""
          : total === 0
            ? t("session.transcript.findNone")
            : t("session.transcript.findCount", { at, total })}
        {!whole && words.trim() !== "" && ` · ${t("session.transcript.findLoaded")}`}
      </output>
      <IconButton
        icon={ChevronUp}
        size="small"
        label={t("session.transcript.findPrevious")}
        onClick={() => {
          onStep(-1);
        }}
      />
      <IconButton
        icon={ChevronDown}
        size="small"
        label={t("session.transcript.findNext")}
        onClick={() => {
          onStep(1);
        }}
      />
      <IconButton icon={X} size="small" label={t("action.close")} onClick={close} />
    </search>
  );
}

/** Marks the words in what is drawn, without touching the document. */
function useMarks(place: RefObject<HTMLElement | null>, words: string): void {
  useEffect(() => {
    const root = place.current;
    const wanted = words.trim().toLowerCase();
    if (root === null || wanted === "" || !("highlights" in CSS)) return;
    const mark = () => {
      const ranges: Range[] = [];
      const walk = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
      for (let node = walk.nextNode(); node !== null; node = walk.nextNode()) {
        const text = node.nodeValue?.toLowerCase() ?? "";
        for (
          let at = text.indexOf(wanted);
          at >= 0;
          at = text.indexOf(wanted, at + wanted.length)
        ) {
          const range = new Range();
          range.setStart(node, at);
          range.setEnd(node, at + wanted.length);
          ranges.push(range);
        }
      }
      CSS.highlights.set("find", new Highlight(...ranges));
    };
    mark();
    const observer = new MutationObserver(mark);
    observer.observe(root, { childList: true, subtree: true, characterData: true });
    return () => {
      observer.disconnect();
      CSS.highlights.delete("find");
    };
  }, [place, words]);
}

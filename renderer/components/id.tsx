import Check from "lucide-react/icons/check";
import Copy from "lucide-react/icons/copy";
import { useEffect, useState } from "react";
import { middleEllipsis } from "../i18n/format.ts";
import { useWords } from "../i18n/use-words.ts";
import { usePanel } from "../stores/panel.tsx";
import { copyText } from "./copy.ts";
import css from "./id.module.css";

export interface IdProps {
  value: string;
  /** What it is, for "Copy session key". */
  label: string;
  /** How many characters of the head stay. Default 12; the last six always do. */
  head?: number;
  copy?: boolean;
  /** Cut by the width it has, keeping the last six, instead of by `head`. */
  fluid?: boolean;
}

/** An id or key: monospace, cut in the middle, copied with one click. */
export function Id({ value, label, head = 12, copy: copyable = true, fluid = false }: IdProps) {
  const { t } = useWords();
  const { announcer } = usePanel();
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => {
      setCopied(false);
    }, 1_500);
    return () => {
      clearTimeout(timer);
    };
  }, [copied]);

  const cut = fluid
    ? { head: value.slice(0, -6), tail: value.slice(-6) }
    : middleEllipsis(value, head);
  const what = t("copyThing", { what: label });
  const copy = async () => {
    if (!(await copyText(value))) return;
    setCopied(true);
    announcer.say(t("copiedThing", { what: label }));
  };
  return (
    <span className={css["id"]} data-fluid={fluid || undefined}>
      <span className={css["text"]} title={value}>
        <span className={css["head"]}>{cut.head}</span>
        {cut.tail !== null && !fluid && <span aria-hidden>…</span>}
        {cut.tail !== null && <span className={css["tail"]}>{cut.tail}</span>}
      </span>
      {copyable && (
        <button
          type="button"
          className={css["copy"]}
          aria-label={what}
          title={copied ? t("action.copied") : what}
          onClick={(event) => {
            event.stopPropagation();
            void copy();
          }}
        >
          {copied ? <Check aria-hidden /> : <Copy aria-hidden />}
        </button>
      )}
    </span>
  );
}

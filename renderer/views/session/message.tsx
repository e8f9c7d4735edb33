import { memo, useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { MessageRow } from "../../../core/contract/domain.ts";
import { Button } from "../../components/button.tsx";
import { CopyButton } from "../../components/copy-button.tsx";
import { Markdown } from "../../components/markdown.tsx";
import { StateChip } from "../../components/state-chip.tsx";
import { Time } from "../../components/time.tsx";
import { byteSize } from "../../i18n/format.ts";
import css from "./message.module.css";
import { ToolUses } from "./tool-uses.tsx";

/** Longer texts are folded: one reply should not push the rest out of reach. */
const FOLDED_LINES = 60;
const FOLDED_LENGTH = 8_000;

export interface MessageProps {
  message: MessageRow;
  /** Said right after the one above by the same sender: no name again. */
  continues: boolean;
  /** Who answers in this lane, for rows that do not say it themselves. */
  agent: string | null;
}

/** One row of the transcript. */
export const Message = memo(function Message({ message, continues, agent }: MessageProps) {
  const { t, i18n } = useTranslation();
  const { role, text, from, atMs, cut, tools, delivery, textBytes } = message;
  const mine = role === "user";
  const nobody = t(
    `session.transcript.${mine ? "you" : role === "assistant" ? "agent" : "system"}`,
  );
  const who = from ?? (role === "assistant" ? agent : null) ?? nobody;
  const shown = new TextEncoder().encode(text).length;
  const worth = delivery !== null && delivery !== "delivered";
  return (
    <Bubble mine={mine} continues={continues} who={who} atMs={atMs} copy={text}>
      {text !== "" && <FoldedText text={text} plain={mine} />}
      {textBytes > shown + 3 && (
        <p className={css["note"]}>
          {t("session.transcript.partOf", {
            shown: byteSize(shown, i18n.language),
            whole: byteSize(textBytes, i18n.language),
          })}
        </p>
      )}
      {tools.length > 0 && <ToolUses tools={tools} />}
      {cut !== null && (
        <p className={css["note"]}>
          <StateChip
            state="stopped"
            bare
            word={
              cut === "stopped" || cut === "interrupted"
                ? t(`session.transcript.cut.${cut}`)
                : t("session.transcript.cut.other", { why: cut })
            }
          />
        </p>
      )}
      {worth && (
        <p className={css["note"]}>
          <StateChip state={delivery} bare />
        </p>
      )}
    </Bubble>
  );
});

export interface BubbleProps {
  mine: boolean;
  continues: boolean;
  who: string;
  atMs: number | null;
  /** What its copy button copies. */
  copy?: string;
  /** A state beside the name, e.g. waiting. */
  mark?: ReactNode;
  children: ReactNode;
}

/** Name, time and content. What people say stands on its own ground, what agents say on the page's. */
export function Bubble({ mine, continues, who, atMs, copy, mark, children }: BubbleProps) {
  const { t } = useTranslation();
  return (
    <article
      className={css["message"]}
      data-mine={mine || undefined}
      data-continues={continues || undefined}
    >
      <header className={continues ? "quiet" : css["header"]}>
        <span className={css["who"]}>{who}</span>
        {atMs !== null && (
          <span className={css["when"]}>
            <Time atMs={atMs} focusable={false} />
          </span>
        )}
        {mark}
      </header>
      <div className={css["content"]}>{children}</div>
      {copy !== undefined && copy !== "" && (
        <span className={css["tools"]}>
          <CopyButton text={copy} what={t("session.transcript.message")} />
        </span>
      )}
    </article>
  );
}

function FoldedText({ text, plain }: { text: string; plain: boolean }) {
  const { t } = useTranslation();
  const [whole, setWhole] = useState(false);
  const lines = text.split("\n", FOLDED_LINES + 1);
  const long = lines.length > FOLDED_LINES || text.length > FOLDED_LENGTH;
  const shown =
    long && !whole ? lines.slice(0, FOLDED_LINES).join("\n").slice(0, FOLDED_LENGTH) : text;
  return (
    <>
      {plain ? <p className={css["plain"]}>{shown}</p> : <Markdown text={shown} />}
      {long && (
        <span>
          <Button
            size="small"
            onClick={() => {
              setWhole(!whole);
            }}
          >
            {t(whole ? "session.transcript.showLess" : "session.transcript.showAll")}
          </Button>
        </span>
      )}
    </>
  );
}

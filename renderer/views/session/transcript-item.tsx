import { useTranslation } from "react-i18next";
import { Markdown } from "../../components/markdown.tsx";
import { StateChip } from "../../components/state-chip.tsx";
import { Time } from "../../components/time.tsx";
import { dayName } from "../../i18n/format.ts";
import { Bubble, Message } from "./message.tsx";
import css from "./transcript.module.css";
import type { TranscriptItem } from "./transcript-items.ts";

/** One drawn line of the transcript. */
export function TranscriptItemView({
  item,
  agent,
}: {
  item: TranscriptItem;
  agent: string | null;
}) {
  const { t, i18n } = useTranslation();
  switch (item.kind) {
    case "start":
      return <p className={css["bar"]}>{t("session.transcript.start")}</p>;
    case "older":
      return <p className={css["bar"]}>{t("session.transcript.older")}</p>;
    case "day":
      return <p className={css["bar"]}>{dayName(item.atMs, i18n.language)}</p>;
    case "boundary":
      return (
        <p className={css["bar"]} data-strong>
          <span>{item.message.text}</span>
          <Time atMs={item.message.atMs} focusable={false} />
        </p>
      );
    case "message":
      return <Message message={item.message} continues={item.continues} agent={agent} />;
    case "live":
      return (
        <Bubble
          mine={false}
          continues={false}
          who={agent ?? t("session.transcript.agent")}
          atMs={null}
          mark={
            <StateChip
              state="running"
              bare
              word={
                item.live.tool === null
                  ? t("session.transcript.streaming")
                  : t("session.transcript.usingTool", { tool: item.live.tool })
              }
            />
          }
        >
          {item.live.text !== "" && <Markdown text={item.live.text} />}
        </Bubble>
      );
    case "waiting":
      return (
        <Bubble
          mine
          continues={false}
          who={item.item.from}
          atMs={item.item.acceptedAtMs}
          mark={<StateChip state="queued" bare word={t("session.transcript.waiting")} />}
        >
          <p className={css["waiting"]}>{item.item.preview}</p>
        </Bubble>
      );
    case "outgoing":
      return (
        <Bubble
          mine
          continues={false}
          who={t("session.transcript.you")}
          atMs={item.outgoing.atMs}
          mark={<StateChip state="queued" bare word={t("session.transcript.sending")} />}
        >
          <p className={css["waiting"]}>{item.outgoing.text}</p>
        </Bubble>
      );
    case "answer":
      return (
        <>
          <Bubble mine continues={false} who={t("session.transcript.you")} atMs={item.answer.atMs}>
            <code>{item.answer.command}</code>
          </Bubble>
          <Bubble
            mine={false}
            continues={false}
            who={t("session.transcript.system")}
            atMs={item.answer.atMs}
            copy={item.answer.text}
          >
            <Markdown text={item.answer.text} />
          </Bubble>
        </>
      );
  }
}

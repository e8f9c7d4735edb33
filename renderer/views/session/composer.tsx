import CircleStop from "lucide-react/icons/circle-stop";
import SendHorizontal from "lucide-react/icons/send-horizontal";
import { useEffect, useLayoutEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import { Button } from "../../components/button.tsx";
import { Failure } from "../../components/failure.tsx";
import { useCommands } from "../../keys/use-commands.ts";
import { LONGEST_MESSAGE, type Composer as ComposerStore } from "../../stores/composer.ts";
import css from "./composer.module.css";

export interface ComposerProps {
  composer: ComposerStore;
  /** A turn is running: it can be stopped from here. */
  running: boolean;
  onStop: () => void;
  /** Takes the focus when it appears: after "New conversation". */
  ready: boolean;
  /** Esc: away from the field. */
  onLeave: () => void;
}

/** Where the operator writes into the lane. Enter sends, Shift+Enter starts a line. */
export function Composer({ composer, running, onStop, ready, onLeave }: ComposerProps) {
  const { t } = useTranslation();
  const { text, error } = useStore(composer.store);
  const box = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    if (ready) field.current?.focus();
  }, [ready]);
  useEffect(() => {
    const root = document.documentElement;
    root.dataset["composer"] = "";
    return () => {
      delete root.dataset["composer"];
    };
  }, []);
  // As tall as its text, up to the limit in its stylesheet.
  useLayoutEffect(() => {
    const area = field.current;
    if (area === null) return;
    area.style.blockSize = "auto";
    area.style.blockSize = `${area.scrollHeight}px`;
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- measured anew whenever the text is another
  }, [text]);
  useCommands(
    {
      "app.back": () => {
        onLeave();
        return true;
      },
    },
    box,
  );
  const over = text.length - LONGEST_MESSAGE;
  const send = () => {
    void composer.actions.send();
    field.current?.focus();
  };
  return (
    <div ref={box} className={css["composer"]}>
      {error !== null && <Failure error={error} compact onRetry={send} />}
      <div className={css["box"]}>
        <textarea
          ref={field}
          className={css["field"]}
          rows={1}
          value={text}
          aria-label={t("session.composer.label")}
          placeholder={t("session.composer.placeholder")}
          aria-describedby="composer-hint"
          onChange={(event) => {
            composer.actions.write(event.target.value);
          }}
          onKeyDown={(event) => {
            const plain = !event.shiftKey && !event.altKey && !event.nativeEvent.isComposing;
            if (event.key !== "Enter" || !plain) return;
            event.preventDefault();
            send();
          }}
        />
        <div className={css["actions"]}>
          {running && (
            <Button size="small" icon={CircleStop} onClick={onStop}>
              {t("session.composer.stop")}
            </Button>
          )}
          <Button
            size="small"
            tone="primary"
            icon={SendHorizontal}
            disabled={text.trim() === "" || over > 0}
            onClick={send}
          >
            {t("session.composer.send")}
          </Button>
        </div>
      </div>
      <p id="composer-hint" className={css["hint"]} role={over > 0 ? "alert" : undefined}>
        {over > 0 ? t("session.composer.tooLong", { over }) : t("session.composer.hint")}
      </p>
    </div>
  );
}

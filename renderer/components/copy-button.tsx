import Check from "lucide-react/icons/check";
import Copy from "lucide-react/icons/copy";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { usePanel } from "../stores/panel.tsx";
import { Button } from "./button.tsx";
import { copyText } from "./copy.ts";

export interface CopyButtonProps {
  /** Made when it is pressed, where that is costly. */
  text: string | (() => string);
  /** What it is, for "Copied …". */
  what: string;
  /** Words on it in place of "Copy". */
  label?: string;
}

const SHOWN_MS = 1_500;

/** Copies a text, and says so on itself and aloud. */
export function CopyButton({ text, what, label }: CopyButtonProps) {
  const { t } = useTranslation();
  const { announcer } = usePanel();
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => {
      setCopied(false);
    }, SHOWN_MS);
    return () => {
      clearTimeout(timer);
    };
  }, [copied]);
  return (
    <Button
      size="small"
      icon={copied ? Check : Copy}
      onClick={async () => {
        if (!(await copyText(typeof text === "string" ? text : text()))) return;
        setCopied(true);
        announcer.say(t("copiedThing", { what }));
      }}
    >
      {copied ? t("action.copied") : (label ?? t("action.copy"))}
      <span className="quiet"> {what}</span>
    </Button>
  );
}

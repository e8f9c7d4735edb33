import Check from "lucide-react/icons/check";
import Copy from "lucide-react/icons/copy";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { usePanel } from "../stores/panel.tsx";
import { Button } from "./button.tsx";
import { copyText } from "./copy.ts";
import { IconButton } from "./icon-button.tsx";

export interface CopyButtonProps {
  /** What is copied, or how to make it. */
  text: string | (() => string);
  /** What it is, for "Copy message". */
  what: string;
  /** Words on it; without them it is a sign only. */
  label?: string;
}

/** Copies something, and shows and says that it did. */
export function CopyButton({ text, what, label }: CopyButtonProps) {
  const { t } = useTranslation();
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
  const copy = async () => {
    if (!(await copyText(typeof text === "string" ? text : text()))) return;
    setCopied(true);
    announcer.say(t("copiedThing", { what }));
  };
  const icon = copied ? Check : Copy;
  if (label !== undefined)
    return (
      <Button size="small" icon={icon} onClick={() => void copy()}>
        {copied ? t("action.copied") : label}
      </Button>
    );
  return (
    <IconButton
      icon={icon}
      size="small"
      label={copied ? t("action.copied") : t("copyThing", { what })}
      onClick={() => void copy()}
    />
  );
}

import RotateCw from "lucide-react/icons/rotate-cw";
import { useTranslation } from "react-i18next";
import type { WireError } from "../../core/contract/errors.ts";
import { Button } from "./button.tsx";
import { cx } from "./cx.ts";
import css from "./failure.module.css";
import { Id } from "./id.tsx";
import { StateGlyph } from "./state-glyph.tsx";

export interface FailureProps {
  error: WireError;
  onRetry?: () => void;
  /** In a line of its own inside something, rather than in place of it. */
  compact?: boolean;
}

/** What went wrong, its code to copy, and another try in place. */
export function Failure({ error, onRetry, compact = false }: FailureProps) {
  const { t, i18n } = useTranslation();
  const key = `error.${error.code}`;
  // The gateway's own sentence is the most exact; the general one stands in where the page made the error itself.
  const sentence =
    error.code === "E_DISCONNECTED" && i18n.exists(key) ? t("error.E_DISCONNECTED") : error.message;
  return (
    <div className={cx(css["failure"], compact && css["compact"])} role="alert">
      <StateGlyph state="failed" />
      <p className={css["sentence"]}>{sentence}</p>
      <Id value={error.code} label={t("failure.code")} head={40} />
      {onRetry !== undefined && (
        <Button size="small" icon={RotateCw} onClick={onRetry}>
          {t("action.retry")}
        </Button>
      )}
    </div>
  );
}

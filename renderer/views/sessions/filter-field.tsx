import Search from "lucide-react/icons/search";
import X from "lucide-react/icons/x";
import { useEffect, useId, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { parseSessionFilter } from "../../../core/contract/session-filter.ts";
import { IconButton } from "../../components/icon-button.tsx";
import { useCommands } from "../../keys/use-commands.ts";
import css from "./filter-field.module.css";

const SETTLE_MS = 180; // typing is followed, not each letter

export interface FilterFieldProps {
  value: string;
  onChange: (text: string) => void;
  /** Enter or ↓: on to the rows. */
  onLeave: () => void;
}

/** The filter with its grammar; a fault in it is told where it is, and the list stays as it was. */
export function FilterField({ value, onChange, onLeave }: FilterFieldProps) {
  const { t } = useTranslation();
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(value);
  const typed = useRef(value);
  useEffect(() => {
    // Changed from elsewhere: a link, Back, "clear filter".
    if (value === typed.current) return;
    typed.current = value;
    setText(value);
  }, [value]);
  useEffect(() => {
    if (text === typed.current) return;
    const timer = setTimeout(() => {
      typed.current = text;
      onChange(text);
    }, SETTLE_MS);
    return () => {
      clearTimeout(timer);
    };
  }, [text, onChange]);
  const clear = () => {
    typed.current = "";
    setText("");
    onChange("");
  };
  useCommands(
    {
      "app.back": () => {
        if (text === "") onLeave();
        else clear();
        return true;
      },
    },
    box,
  );

  const parsed = parseSessionFilter(text);
  const fault = parsed.ok ? null : parsed.error;
  return (
    <div ref={box} className={css["box"]} data-applied={text !== "" || undefined}>
      <Search aria-hidden className={css["sign"]} />
      <input
        ref={field}
        className={css["input"]}
        type="text"
        role="searchbox"
        data-filter
        value={text}
        placeholder={t("sessions.filter")}
        aria-label={t("sessions.filter")}
        aria-invalid={fault !== null || undefined}
        aria-describedby={id}
        autoComplete="off"
        spellCheck={false}
        title={t("sessions.filterHint")}
        onChange={(event) => {
          setText(event.target.value);
        }}
        onKeyDown={(event) => {
          if (event.key !== "Enter" && event.key !== "ArrowDown") return;
          event.preventDefault();
          onLeave();
        }}
      />
      {text !== "" && (
        <IconButton
          icon={X}
          size="small"
          label={t("action.clearFilter")}
          onClick={() => {
            clear();
            field.current?.focus();
          }}
        />
      )}
      <div
        id={id}
        className={css["help"]}
        data-fault={fault !== null || undefined}
        role={fault === null ? undefined : "alert"}
      >
        {fault === null
          ? t("sessions.filterHint")
          : t(`sessions.filterError.${fault.problem}`, { text: fault.text })}
      </div>
    </div>
  );
}

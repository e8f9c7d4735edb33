import type { KeyboardEvent, Ref } from "react";
import { cx } from "./cx.ts";
import { useField } from "./field.tsx";
import css from "./text-input.module.css";

export interface TextInputProps {
  value: string;
  onChange: (text: string) => void;
  /** Leaving it, or Enter. */
  onCommit?: () => void;
  placeholder?: string;
  type?: "text" | "password" | "url" | "number" | "search";
  /** For ids, addresses and code. */
  mono?: boolean;
  /** Accessible name where no `Field` is around it. */
  label?: string;
  disabled?: boolean;
  wide?: boolean;
  ref?: Ref<HTMLInputElement>;
  onKeyDown?: (event: KeyboardEvent<HTMLInputElement>) => void;
}

/** One line of text. */
export function TextInput({
  value,
  onChange,
  onCommit,
  placeholder,
  type = "text",
  mono = false,
  label,
  disabled,
  wide = false,
  ref,
  onKeyDown,
}: TextInputProps) {
  return (
    <input
      {...useField()}
      ref={ref}
      className={cx(css["input"], mono && css["mono"], wide && css["wide"])}
      type={type}
      value={value}
      placeholder={placeholder}
      aria-label={label}
      disabled={disabled}
      spellCheck={false}
      autoComplete="off"
      onChange={(event) => {
        onChange(event.target.value);
      }}
      onBlur={onCommit}
      onKeyDown={(event) => {
        onKeyDown?.(event);
        if (event.key === "Enter" && !event.defaultPrevented) onCommit?.();
      }}
    />
  );
}

export interface TextAreaProps extends Pick<TextInputProps, "value" | "onChange" | "placeholder"> {
  rows?: number;
  mono?: boolean;
  label?: string;
}

/** Several lines of text. */
export function TextArea({ value, onChange, placeholder, rows = 4, mono, label }: TextAreaProps) {
  return (
    <textarea
      {...useField()}
      className={cx(css["input"], css["area"], css["wide"], mono === true && css["mono"])}
      rows={rows}
      value={value}
      placeholder={placeholder}
      aria-label={label}
      onChange={(event) => {
        onChange(event.target.value);
      }}
    />
  );
}

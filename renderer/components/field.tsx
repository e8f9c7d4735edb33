import { createContext, useContext, useId, type ReactNode } from "react";
import { cx } from "./cx.ts";
import css from "./field.module.css";

interface FieldLinks {
  id: string;
  describedBy: string | undefined;
  invalid: boolean;
}

const FieldContext = createContext<FieldLinks | null>(null);

/** What ties a control to the label, hint and error around it. */
export function useField(): { id?: string; "aria-describedby"?: string; "aria-invalid"?: true } {
  const field = useContext(FieldContext);
  if (field === null) return {};
  return {
    id: field.id,
    ...(field.describedBy === undefined ? {} : { "aria-describedby": field.describedBy }),
    ...(field.invalid ? { "aria-invalid": true as const } : {}),
  };
}

export interface FieldProps {
  label: string;
  /** One sentence on what it does. */
  hint?: ReactNode;
  /** What is wrong with its value, in words. */
  error?: string | null;
  /** One control. */
  children: ReactNode;
  /** Label and control beside each other, for switches and short choices. */
  inline?: boolean;
}

/** A control with its label, hint and error. */
export function Field({ label, hint, error, children, inline = false }: FieldProps) {
  const id = useId();
  const wrong = error !== undefined && error !== null && error !== "";
  const describedBy = cx(hint !== undefined && `${id}-hint`, wrong && `${id}-error`);
  return (
    <div className={cx(css["field"], inline && css["inline"])}>
      <div className={css["words"]}>
        <label className={css["label"]} htmlFor={id}>
          {label}
        </label>
        {hint !== undefined && (
          <p className={css["hint"]} id={`${id}-hint`}>
            {hint}
          </p>
        )}
      </div>
      <FieldContext
        value={{ id, invalid: wrong, describedBy: describedBy === "" ? undefined : describedBy }}
      >
        {children}
      </FieldContext>
      {wrong && (
        <p className={css["error"]} id={`${id}-error`} role="alert">
          {error}
        </p>
      )}
    </div>
  );
}

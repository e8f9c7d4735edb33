import { Switch as Base } from "@base-ui/react/switch";
import { useField } from "./field.tsx";
import css from "./switch.module.css";

export interface SwitchProps {
  checked: boolean;
  onChange: (checked: boolean) => void;
  /** Accessible name where no `Field` is around it. */
  label?: string;
  disabled?: boolean;
}

/** On or off, at once. */
export function Switch({ checked, onChange, label, disabled = false }: SwitchProps) {
  return (
    <Base.Root
      {...useField()}
      className={css["switch"]}
      checked={checked}
      disabled={disabled}
      aria-label={label}
      onCheckedChange={onChange}
    >
      <Base.Thumb className={css["thumb"]} />
    </Base.Root>
  );
}

import { Select as Base } from "@base-ui/react/select";
import Check from "lucide-react/icons/check";
import ChevronsUpDown from "lucide-react/icons/chevrons-up-down";
import { useField } from "./field.tsx";
import menuCss from "./menu.module.css";
import css from "./select.module.css";

export interface SelectProps<Value extends string> {
  /** Accessible name where no `Field` is around it. */
  label?: string;
  value: Value;
  options: readonly { value: Value; label: string }[];
  onChange: (value: Value) => void;
  disabled?: boolean;
}

/** A choice of one from a list that opens. */
export function Select<Value extends string>(props: SelectProps<Value>) {
  const { label, value, options, onChange, disabled = false } = props;
  return (
    <Base.Root
      value={value}
      items={options}
      disabled={disabled}
      onValueChange={(next) => {
        if (next !== null) onChange(next);
      }}
    >
      <Base.Trigger {...useField()} className={css["trigger"]} aria-label={label}>
        <Base.Value className={css["value"]} />
        <Base.Icon className={css["icon"]}>
          <ChevronsUpDown aria-hidden />
        </Base.Icon>
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner
          className={menuCss["positioner"]}
          sideOffset={4}
          alignItemWithTrigger={false}
        >
          <Base.Popup className={menuCss["popup"]} data-overlay>
            {options.map((option) => (
              <Base.Item key={option.value} value={option.value} className={menuCss["item"]}>
                <span className={css["mark"]}>
                  <Base.ItemIndicator>
                    <Check aria-hidden />
                  </Base.ItemIndicator>
                </span>
                <Base.ItemText>{option.label}</Base.ItemText>
              </Base.Item>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

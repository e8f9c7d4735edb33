import { Autocomplete as Base } from "@base-ui/react/autocomplete";
import { cx } from "./cx.ts";
import { useField } from "./field.tsx";
import menuCss from "./menu.module.css";
import css from "./suggest-input.module.css";
import textCss from "./text-input.module.css";

export interface SuggestInputProps {
  value: string;
  onChange: (text: string) => void;
  /** What may be chosen; anything else may be typed. */
  suggestions: readonly string[];
  placeholder?: string;
  /** Accessible name where no `Field` is around it. */
  label?: string;
}

/** One line of text that offers what is known, and takes anything. */
export function SuggestInput({
  value,
  onChange,
  suggestions,
  placeholder,
  label,
}: SuggestInputProps) {
  return (
    <Base.Root
      items={suggestions}
      value={value}
      openOnInputClick
      onValueChange={(text) => {
        onChange(text);
      }}
    >
      <Base.Input
        {...useField()}
        className={cx(textCss["input"], textCss["mono"], textCss["wide"])}
        placeholder={placeholder}
        aria-label={label}
        spellCheck={false}
      />
      <Base.Portal>
        <Base.Positioner className={menuCss["positioner"]} sideOffset={4} align="start">
          <Base.Popup className={cx(menuCss["popup"], css["popup"])} data-overlay>
            <Base.List className={css["list"]}>
              {(item: string) => (
                <Base.Item key={item} value={item} className={menuCss["item"]}>
                  {item}
                </Base.Item>
              )}
            </Base.List>
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

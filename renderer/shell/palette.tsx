import { Autocomplete } from "@base-ui/react/autocomplete";
import { Dialog } from "@base-ui/react/dialog";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Kbd } from "../components/kbd.tsx";
import { StateGlyph } from "../components/state-glyph.tsx";
import { shownKeys } from "../keys/key-table.ts";
import css from "./palette.module.css";
import { usePaletteItems, type PaletteItem } from "./use-palette-items.ts";

interface Group {
  value: string;
  items: PaletteItem[];
}

/** Go anywhere, do anything. Opens at once, remembers nothing that was typed. */
export function Palette({ open, onClose }: { open: boolean; onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <Dialog.Root
      open={open}
      onOpenChange={(next) => {
        if (!next) onClose();
      }}
    >
      <Dialog.Portal>
        <Dialog.Backdrop className={css["backdrop"]} />
        <Dialog.Popup className={css["popup"]} aria-label={t("palette.title")} data-overlay>
          {open && <PaletteBody onClose={onClose} />}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function PaletteBody({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const [text, setText] = useState("");
  const groups = usePaletteItems(text) satisfies Group[];
  return (
    <Autocomplete.Root
      items={groups}
      inline
      open
      autoHighlight="always"
      keepHighlight
      filter={null}
      value={text}
      itemToStringValue={(item: PaletteItem) => item.name}
      onValueChange={(next, details) => {
        if (details.reason !== "item-press") setText(next);
      }}
    >
      <Autocomplete.Input
        className={css["input"]}
        placeholder={t("palette.placeholder")}
        aria-label={t("palette.title")}
      />
      <Autocomplete.Empty className={css["empty"]}>
        {groups.length === 0 && t("palette.nothing", { text })}
      </Autocomplete.Empty>
      <Autocomplete.List className={css["list"]}>
        {(group: Group) => (
          <Autocomplete.Group key={group.value} items={group.items} className={css["group"]}>
            <Autocomplete.GroupLabel className={css["label"]}>
              {group.value}
            </Autocomplete.GroupLabel>
            <Autocomplete.Collection>
              {(item: PaletteItem) => (
                <Autocomplete.Item
                  key={item.id}
                  value={item}
                  className={css["item"]}
                  disabled={item.why !== null}
                  onClick={() => {
                    onClose();
                    // After the dialog gave the focus back, so that what runs finds it where it was.
                    requestAnimationFrame(item.run);
                  }}
                >
                  <PaletteLine item={item} />
                </Autocomplete.Item>
              )}
            </Autocomplete.Collection>
          </Autocomplete.Group>
        )}
      </Autocomplete.List>
    </Autocomplete.Root>
  );
}

function PaletteLine({ item }: { item: PaletteItem }) {
  const { icon: Icon, state, name, detail, why, command } = item;
  const keys = command === undefined ? undefined : shownKeys(command);
  return (
    <>
      <span className={css["sign"]}>
        {state === undefined ? <Icon size="1em" aria-hidden /> : <StateGlyph state={state} />}
      </span>
      <span className={css["name"]}>{name}</span>
      {(why ?? detail) !== undefined && <span className={css["detail"]}>{why ?? detail}</span>}
      {keys !== undefined && <Kbd keys={keys} />}
    </>
  );
}

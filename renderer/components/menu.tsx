import { Menu as Base } from "@base-ui/react/menu";
import { Fragment, type ReactElement } from "react";
import type { CommandId } from "../keys/commands.ts";
import { shownKeys } from "../keys/key-table.ts";
import type { Icon } from "./button.tsx";
import { cx } from "./cx.ts";
import { Kbd } from "./kbd.tsx";
import css from "./menu.module.css";

export interface MenuItem {
  label: string;
  icon?: Icon;
  keys?: CommandId;
  tone?: "plain" | "danger";
  disabled?: boolean;
  /** Why it cannot be chosen; stands below its words. */
  why?: string | null | undefined;
  onSelect: () => void;
}

export type MenuItems = readonly (MenuItem | "separator")[];

export interface MenuProps {
  /** Accessible name of the menu. */
  label: string;
  /** The button that opens it. */
  trigger: ReactElement;
  items: MenuItems;
}

/** A menu behind a button. */
export function Menu({ label, trigger, items }: MenuProps) {
  return (
    <Base.Root>
      <Base.Trigger render={trigger} />
      <MenuPopup label={label} items={items} />
    </Base.Root>
  );
}

type Anchor = NonNullable<Parameters<typeof Base.Positioner>[0]["anchor"]>;

export interface MenuAtProps {
  label: string;
  items: MenuItems;
  /** The element or the point it opens at; null keeps it closed. */
  anchor: Anchor | null;
  onClose: () => void;
}

/** A menu opened by something else than its own button: a row's button, a right click. */
export function MenuAt({ label, items, anchor, onClose }: MenuAtProps) {
  return (
    <Base.Root
      open={anchor !== null}
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
    >
      <MenuPopup label={label} items={items} {...(anchor === null ? {} : { anchor })} />
    </Base.Root>
  );
}

function MenuPopup({ label, items, anchor }: { label: string; items: MenuItems; anchor?: Anchor }) {
  return (
    <Base.Portal>
      <Base.Positioner
        className={css["positioner"]}
        sideOffset={4}
        align="end"
        {...(anchor === undefined ? {} : { anchor })}
      >
        <Base.Popup className={css["popup"]} aria-label={label} data-overlay>
          {items.map((item, index) =>
            item === "separator" ? (
              <Base.Separator key={`separator ${index}`} className={css["separator"]} />
            ) : (
              <Item key={item.label} item={item} />
            ),
          )}
        </Base.Popup>
      </Base.Positioner>
    </Base.Portal>
  );
}

function Item({ item }: { item: MenuItem }) {
  const { label, icon: Icon, keys, tone, why, onSelect } = item;
  const shortcut = keys === undefined ? undefined : shownKeys(keys);
  const off = item.disabled === true || (why !== undefined && why !== null);
  return (
    <Base.Item
      className={cx(css["item"], tone === "danger" && css["danger"])}
      disabled={off}
      onClick={onSelect}
    >
      {Icon === undefined ? <Fragment /> : <Icon size="1em" aria-hidden />}
      <span className={css["words"]}>
        {label}
        {why !== undefined && why !== null && <span className={css["why"]}>{why}</span>}
      </span>
      {shortcut !== undefined && <Kbd keys={shortcut} />}
    </Base.Item>
  );
}

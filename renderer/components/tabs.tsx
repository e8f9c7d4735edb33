import { Tabs as Base } from "@base-ui/react/tabs";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { groupedCount } from "../i18n/format.ts";
import css from "./tabs.module.css";

export interface Tab<Id extends string> {
  id: Id;
  label: string;
  count?: number | undefined;
}

export interface TabsProps<Id extends string> {
  label: string;
  tabs: readonly Tab<Id>[];
  value: Id;
  onChange: (id: Id) => void;
  /** The panel of the chosen tab. */
  children: ReactNode;
}

/** Several faces of one thing, one at a time. */
export function Tabs<Id extends string>({ label, tabs, value, onChange, children }: TabsProps<Id>) {
  const { i18n } = useTranslation();
  return (
    <Base.Root
      className={css["tabs"]}
      value={value}
      onValueChange={(next: Id) => {
        onChange(next);
      }}
    >
      <Base.List className={css["list"]} aria-label={label} activateOnFocus>
        {tabs.map(({ id, label: words, count }) => (
          <Base.Tab key={id} value={id} className={css["tab"]}>
            {words}
            {count !== undefined && count > 0 && (
              <span className={css["count"]}>{groupedCount(count, i18n.language)}</span>
            )}
          </Base.Tab>
        ))}
      </Base.List>
      <Base.Panel value={value} className={css["panel"]}>
        {children}
      </Base.Panel>
    </Base.Root>
  );
}

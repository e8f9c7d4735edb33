import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import { groupedCount } from "../../i18n/format.ts";
import { usePanel } from "../../stores/panel.tsx";
import css from "./list-count.module.css";

/** How many rows there are, and what waits above while the list stands still. */
export function ListCount() {
  const { t, i18n } = useTranslation();
  const { sessions } = usePanel();
  const total = useStore(sessions.store, (state) => state.total);
  const all = useStore(sessions.store, (state) => state.counts?.all ?? null);
  const moved = useStore(sessions.store, (state) => state.moved.size);
  const held = useStore(sessions.store, (state) => state.held);
  if (total === null || all === null) return null;
  const number = (value: number) => groupedCount(value, i18n.language);
  return (
    <span className={css["count"]}>
      {held && moved > 0 && (
        <button
          type="button"
          className={css["arrived"]}
          onClick={() => void sessions.actions.pull()}
        >
          {t("table.arrived", { count: moved })} · <u>{t("table.show")}</u>
        </button>
      )}
      {total !== all &&
        t("sessions.countOf", { shown: number(total), count: all, all: number(all) })}
    </span>
  );
}

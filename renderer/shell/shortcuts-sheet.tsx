import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import { Banner } from "../components/banner.tsx";
import { Dialog } from "../components/dialog.tsx";
import { Kbd } from "../components/kbd.tsx";
import { commandWords } from "../keys/commands.ts";
import { keyTable, type KeyBinding, type KeyScope } from "../keys/key-table.ts";
import { usePanel } from "../stores/panel.tsx";
import css from "./shortcuts-sheet.module.css";

const scopes: KeyScope[] = ["app", "list"];

/** One line a command, all its keys beside it. */
function byCommand(scope: KeyScope): KeyBinding[] {
  const found = new Map<string, KeyBinding>();
  for (const binding of keyTable.filter((one) => one.scope === scope)) {
    const known = found.get(binding.command);
    const keys = [...(known?.keys ?? []), ...binding.keys];
    found.set(binding.command, { ...binding, keys });
  }
  return [...found.values()];
}

/** All keys, read from the table that handles them. */
export function ShortcutsSheet({ open, onClose }: { open: boolean; onClose: () => void }) {
  const { t } = useTranslation();
  const { presentation } = usePanel();
  const singleKeys = useStore(presentation.store, (state) => state.singleKeys);
  return (
    <Dialog open={open} title={t("keys.title")} onClose={onClose} width="wide">
      {!singleKeys && <Banner tone="info" title={t("keys.off")} />}
      <div className={css["columns"]}>
        {scopes.map((scope) => (
          <section key={scope}>
            <h3 className={css["scope"]}>{t(scope === "app" ? "keys.app" : "keys.list")}</h3>
            <dl>
              {byCommand(scope).map(({ command, keys }) => (
                <div key={command} className={css["line"]}>
                  <dt>{commandWords(command, t)}</dt>
                  <dd className={css["keys"]}>
                    {keys.map((one) => (
                      <Kbd key={one} keys={one} />
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}

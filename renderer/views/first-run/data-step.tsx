import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import { Button } from "../../components/button.tsx";
import { Facts } from "../../components/facts.tsx";
import { Id } from "../../components/id.tsx";
import { Bytes } from "../../components/numbers.tsx";
import { usePanel } from "../../stores/panel.tsx";
import css from "./first-run.module.css";

/** Step one: the folder, what is in it and how much room there is. */
export function DataStep({ onDone }: { onDone: () => void }) {
  const { t } = useTranslation();
  const { gateway } = usePanel();
  const status = useStore(gateway.store, (state) => state.status);
  return (
    <>
      <p>{t("firstRun.data.body")}</p>
      <Facts
        rows={[
          {
            label: t("firstRun.data.folder"),
            value: status && (
              <Id value={status.dataDir} label={t("firstRun.data.folderName")} head={80} />
            ),
          },
          { label: t("firstRun.data.size"), value: <Bytes value={status?.storeBytes ?? null} /> },
          { label: t("firstRun.data.free"), value: <Bytes value={status?.freeBytes ?? null} /> },
        ]}
      />
      <div className={css["acts"]}>
        <Button tone="primary" onClick={onDone}>
          {t("firstRun.data.done")}
        </Button>
      </div>
    </>
  );
}

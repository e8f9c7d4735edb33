import X from "lucide-react/icons/x";
import { useTranslation } from "react-i18next";
import type { SessionRow } from "../../../core/contract/domain.ts";
import { useSessionCommands } from "../../commands/session-commands.ts";
import { Button } from "../../components/button.tsx";
import { IconButton } from "../../components/icon-button.tsx";
import css from "./bulk-bar.module.css";

const bulk = ["session.suspend", "session.unsuspend", "session.stop", "session.reset"] as const;

/** What can be done to all that is selected; stands where the segments stood. */
export function BulkBar({ rows, onClear }: { rows: readonly SessionRow[]; onClear: () => void }) {
  const { t } = useTranslation();
  const commands = useSessionCommands()(rows);
  return (
    <div
      className={css["bar"]}
      role="toolbar"
      aria-label={t("sessions.selected", { count: rows.length })}
    >
      <strong className={css["count"]}>{t("sessions.selected", { count: rows.length })}</strong>
      {bulk.map((id) => {
        const command = commands.find((one) => one.id === id);
        return (
          command && (
            <Button
              key={id}
              size="small"
              icon={command.icon}
              why={command.why}
              onClick={command.run}
            >
              {command.label}
            </Button>
          )
        );
      })}
      <IconButton icon={X} size="small" label={t("sessions.clearSelection")} onClick={onClear} />
    </div>
  );
}

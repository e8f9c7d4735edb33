import MessageSquarePlus from "lucide-react/icons/message-square-plus";
import { useTranslation } from "react-i18next";
import { Button } from "../../components/button.tsx";
import { Empty } from "../../components/empty.tsx";
import { Link } from "../../components/link.tsx";
import { groupedCount } from "../../i18n/format.ts";
import type { Segment } from "./sessions-address.ts";

export interface NoSessionsProps {
  segment: Segment;
  filter: string;
  /** How many sessions there are without any filter. */
  all: number;
  onClear: () => void;
  onNew: () => void;
}

/** Why the list is empty, and the one way out: none exist, none in this segment, none match. */
export function NoSessions({ segment, filter, all, onClear, onNew }: NoSessionsProps) {
  const { t, i18n } = useTranslation();
  if (all === 0)
    return (
      <Empty
        title={t("sessions.empty")}
        action={
          <>
            <Button tone="primary" icon={MessageSquarePlus} onClick={onNew}>
              {t("sessions.new")}
            </Button>
          </>
        }
      >
        {t("sessions.emptyHint")} <Link href="/channels">{t("sessions.toChannels")}</Link>
      </Empty>
    );
  if (filter === "" && segment !== "all")
    return (
      <Empty
        title={t(`sessions.segmentEmpty.${segment === "needs-me" ? "needsMe" : segment}`)}
        action={<Button onClick={onClear}>{t("sessions.showAll")}</Button>}
      />
    );
  return (
    <Empty
      title={t("sessions.noneMatch", { total: groupedCount(all, i18n.language) })}
      action={<Button onClick={onClear}>{t("action.clearFilter")}</Button>}
    />
  );
}

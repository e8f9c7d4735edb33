import Ellipsis from "lucide-react/icons/ellipsis";
import FileDown from "lucide-react/icons/file-down";
import Search from "lucide-react/icons/search";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import type { SessionDetail } from "../../../core/contract/domain.ts";
import { asMenuItems, useSessionCommands } from "../../commands/session-commands.ts";
import { Button } from "../../components/button.tsx";
import { IconButton } from "../../components/icon-button.tsx";
import { Id } from "../../components/id.tsx";
import { Menu } from "../../components/menu.tsx";
import { StateChip } from "../../components/state-chip.tsx";
import { Duration, Time } from "../../components/time.tsx";
import { sessionName } from "../../i18n/session-name.ts";
import { usePanel } from "../../stores/panel.tsx";
import css from "./session-header.module.css";
import { useFate } from "./use-fate.ts";

export interface SessionHeaderProps {
  detail: SessionDetail;
  /** On a page of its own the top bar shows the title already. */
  titled: boolean;
  /** Buttons of the place it is in: pin, full page, close. */
  corner?: ReactNode;
  onFind: () => void;
  onCopyMarkdown: () => void;
}

/** Which session, how it is, since when, what its next message will do, and the one act that fits its state. */
export function SessionHeader(props: SessionHeaderProps) {
  const { detail, titled, corner, onFind, onCopyMarkdown } = props;
  const { t } = useTranslation();
  const { acts } = usePanel();
  const busy = useStore(acts.store, (state) => state.pending.get(detail.key));
  const commands = useSessionCommands()([detail]);
  const fate = useFate(detail);
  const fitting =
    detail.state === "running"
      ? "session.stop"
      : detail.state === "suspended" || detail.state === "stuck"
        ? "session.unsuspend"
        : "session.suspend";
  const primary = commands.find(({ id }) => id === fitting);
  const { state, turnStartedAtMs, stateSinceMs, agentId, error } = detail;
  const facts = (
    <div className={css["facts"]}>
      <StateChip state={state} />
      <span>
        {state === "running" ? (
          <Duration fromMs={turnStartedAtMs ?? stateSinceMs} />
        ) : (
          <Time atMs={stateSinceMs} form="since" />
        )}
      </span>
      <span>{detail.platform ?? detail.channelId}</span>
      <span>{agentId ?? t("sessions.defaultAgent")}</span>
    </div>
  );
  return (
    <div className={css["header"]}>
      <div className={css["top"]}>
        {titled ? <h2 className={css["title"]}>{sessionName(detail, t)}</h2> : facts}
        <div className={css["corner"]}>
          {primary !== undefined && (
            <Button
              size="small"
              icon={primary.icon}
              busy={busy !== undefined}
              why={busy === undefined ? primary.why : null}
              onClick={primary.run}
            >
              {busy === undefined ? primary.label : t(`act.busy.${busy}`)}
            </Button>
          )}
          <Menu
            label={t("action.more")}
            trigger={<IconButton icon={Ellipsis} size="small" label={t("action.more")} />}
            items={[
              ...asMenuItems(commands),
              "separator",
              {
                label: t("command.session.find"),
                icon: Search,
                keys: "app.filter",
                onSelect: onFind,
              },
              {
                label: t("command.session.copyMarkdown"),
                icon: FileDown,
                onSelect: onCopyMarkdown,
              },
            ]}
          />
          {corner}
        </div>
      </div>
      {titled && facts}
      <div className={css["ids"]}>
        <Id value={detail.key} label={t("session.key")} fluid />
        <Id value={detail.sessionId} label={t("session.id")} head={10} />
      </div>
      <p className={css["fate"]}>{fate}</p>
      {error !== null && (
        <p className={css["error"]}>
          <StateChip state="failed" bare word={error.message} />
          <Id value={error.code} label={t("failure.code")} head={40} />
        </p>
      )}
    </div>
  );
}

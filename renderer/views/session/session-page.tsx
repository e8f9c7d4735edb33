import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import type { SessionKey } from "../../../core/contract/ids.ts";
import { Link } from "../../components/link.tsx";
import { sessionName } from "../../i18n/session-name.ts";
import { ViewFrame } from "../../shell/view-frame.tsx";
import { usePanel } from "../../stores/panel.tsx";
import { sessionStore } from "../../stores/session.ts";
import { useViewStore } from "../../stores/use-view-store.ts";
import { SessionPanel } from "./session-panel.tsx";

/** A session on a page of its own. */
export function SessionPage({ sessionKey }: { sessionKey: SessionKey }) {
  const { t } = useTranslation();
  const { bridge, timer } = usePanel();
  const session = useViewStore(
    () => sessionStore(sessionKey, bridge, timer),
    [sessionKey, bridge, timer],
  );
  const detail = useStore(session.store, (state) => state.detail);
  const title = detail === null ? t("session.title") : sessionName(detail, t);
  return (
    <ViewFrame
      title={title}
      live
      scroll="none"
      filter={<Link href="/sessions">{t("session.back")}</Link>}
    >
      <SessionPanel sessionKey={sessionKey} session={session} titled={false} />
    </ViewFrame>
  );
}

import { useTranslation } from "react-i18next";
import { usePanel } from "../stores/panel.tsx";
import { go, sessionPath } from "./location.ts";

/** Starts a conversation on the local channel and opens it with the composer ready. */
export function useNewSession(): () => void {
  const { t } = useTranslation();
  const { bridge, sessions, toasts } = usePanel();
  return () => {
    void bridge.call("sessions.create", {}).then((reply) => {
      if (!reply.ok) {
        toasts.actions.raise({
          tone: "failed",
          title: t("sessions.newFailed"),
          body: reply.error.message,
        });
        return;
      }
      go(`${sessionPath(reply.value.key)}?write=1`);
      void sessions.actions.pull();
    });
  };
}

import { useTranslation } from "react-i18next";
import type { DeliveryRow } from "../../../core/contract/calls-recovery.ts";
import type { MenuItems } from "../../components/menu.tsx";
import { go, sessionPath } from "../../shell/location.ts";
import { usePanel } from "../../stores/panel.tsx";

/** What an operator decides about a delivery (ux.md 3, 7): a retry names the duplicate that it may make. */
export function useDeliveryActs(pull: () => Promise<void>) {
  const { t } = useTranslation();
  const { bridge, ask, toasts } = usePanel();

  async function markDelivered(row: DeliveryRow) {
    const reply = await bridge.call("deliveries.markDelivered", { id: row.id });
    if (!reply.ok)
      toasts.actions.raise({
        title: t("recovery.failed"),
        body: reply.error.message,
        tone: "failed",
      });
    await pull();
  }

  function question(row: DeliveryRow, act: "retry" | "discard") {
    const mayDuplicate = act === "retry" && row.state === "unknown";
    ask.actions.ask({
      title: t(`recovery.${act}.title`),
      body: t(mayDuplicate ? "recovery.retry.duplicate" : `recovery.${act}.body`),
      facts: [
        { label: t("recovery.column.session"), value: row.title === "" ? row.key : row.title },
        { label: t("recovery.column.channel"), value: row.channelId },
        { label: t("recovery.column.attempts"), value: String(row.attempts) },
        { label: t("recovery.column.text"), value: row.preview },
      ],
      verb: t(`recovery.${act}.verb`),
      busyVerb: t(`recovery.${act}.busy`),
      tone: "danger",
      run: async () => {
        const reply = await bridge.call(`deliveries.${act}`, { id: row.id });
        await pull();
        return reply;
      },
    });
  }

  return {
    menuFor(row: DeliveryRow): MenuItems {
      const settled = row.state === "delivered" ? t("recovery.isDelivered") : null;
      const sending = row.state === "attempting" ? t("recovery.isSending") : null;
      return [
        {
          label: t("recovery.check"),
          onSelect: () => {
            go(sessionPath(row.key));
          },
        },
        "separator",
        {
          label: t("recovery.markDelivered"),
          why: settled ?? sending,
          onSelect: () => void markDelivered(row),
        },
        {
          label: t(row.state === "unknown" ? "recovery.retryDuplicate" : "recovery.retryPlain"),
          tone: row.state === "unknown" ? "danger" : "plain",
          why: settled ?? sending,
          onSelect: () => {
            question(row, "retry");
          },
        },
        {
          label: t("recovery.discardThis"),
          tone: "danger",
          why: settled ?? sending ?? (row.state === "abandoned" ? t("recovery.isGivenUp") : null),
          onSelect: () => {
            question(row, "discard");
          },
        },
      ];
    },
  };
}

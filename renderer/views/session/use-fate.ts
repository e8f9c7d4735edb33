import { useTranslation } from "react-i18next";
import type { SessionDetail } from "../../../core/contract/domain.ts";

/** The gateway's reasons, word by word; another one is shown as it came. */
const reasons = {
  suspended: "suspended",
  "suspended as a stuck loop": "stuck",
  "the last turn was interrupted": "interrupted",
} as const;

/** What the lane's next message will do, in words. */
export function useFate(detail: Pick<SessionDetail, "nextMessage" | "nextMessageBecause">): string {
  const { t } = useTranslation();
  const sentence = t(`session.next.${detail.nextMessage}`);
  const because = detail.nextMessageBecause;
  if (because === null || because === "") return sentence;
  const known = Object.entries(reasons).find(([reason]) => reason === because)?.[1];
  const reason = known === undefined ? because : t(`session.next.reason.${known}`);
  return t("session.next.because", { sentence, reason });
}

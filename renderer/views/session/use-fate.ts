import { useTranslation } from "react-i18next";
import type { SessionDetail } from "../../../core/contract/domain.ts";

const reasons = ["suspended", "stuck", "forced", "reset", "restart_interrupted"] as const;

/** What the lane's next message will do, in words. */
export function useFate(detail: Pick<SessionDetail, "nextMessage" | "nextMessageBecause">): string {
  const { t } = useTranslation();
  const sentence = t(`session.next.${detail.nextMessage}`);
  const because = detail.nextMessageBecause;
  if (because === null || because === "") return sentence;
  const known = reasons.find((one) => one === because);
  const reason = known === undefined ? because : t(`session.next.reason.${known}`);
  return t("session.next.because", { sentence, reason });
}

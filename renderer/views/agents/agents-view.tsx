import { useTranslation } from "react-i18next";
import { ViewFrame } from "../../shell/view-frame.tsx";

export function AgentsView() {
  const { t } = useTranslation();
  return <ViewFrame title={t("screen.agents")}>{null}</ViewFrame>;
}

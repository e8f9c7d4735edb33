import { useTranslation } from "react-i18next";
import { ViewFrame } from "../../shell/view-frame.tsx";

export function OverviewView() {
  const { t } = useTranslation();
  return <ViewFrame title={t("screen.overview")}>{null}</ViewFrame>;
}

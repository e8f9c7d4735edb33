import { useTranslation } from "react-i18next";
import { ViewFrame } from "../../shell/view-frame.tsx";

export function FirstRunView() {
  const { t } = useTranslation();
  return <ViewFrame title={t("screen.welcome")}>{null}</ViewFrame>;
}

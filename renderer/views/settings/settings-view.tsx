import { useTranslation } from "react-i18next";
import { ViewFrame } from "../../shell/view-frame.tsx";

export function SettingsView() {
  const { t } = useTranslation();
  return <ViewFrame title={t("screen.settings")}>{null}</ViewFrame>;
}

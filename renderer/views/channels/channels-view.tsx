import { useTranslation } from "react-i18next";
import { ViewFrame } from "../../shell/view-frame.tsx";

export function ChannelsView() {
  const { t } = useTranslation();
  return <ViewFrame title={t("screen.channels")}>{null}</ViewFrame>;
}

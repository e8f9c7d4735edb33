import { useTranslation } from "react-i18next";
import { Empty } from "../components/empty.tsx";
import { Link } from "../components/link.tsx";
import { ViewFrame } from "./view-frame.tsx";

/** An address that names nothing: says so, offers the search, calls nothing. */
export function NotFound({ path }: { path: string }) {
  const { t } = useTranslation();
  return (
    <ViewFrame title={t("screen.notFound")}>
      <Empty
        title={t("notFound.title")}
        action={<Link href="/sessions">{t("screen.sessions")}</Link>}
      >
        {t("notFound.body", { path })}
      </Empty>
    </ViewFrame>
  );
}

import { useTranslation } from "react-i18next";
import { Banner } from "../../components/banner.tsx";
import { Id } from "../../components/id.tsx";
import { isSafeMode, type Settings } from "../../stores/settings.ts";
import css from "./settings.module.css";

/** What is wrong with the settings file: place, field and remedy of each. */
export function ProblemsBanner({ settings }: { settings: Settings }) {
  const { t } = useTranslation();
  const { problems, file } = settings;
  if (problems.length === 0) return null;
  const safeMode = isSafeMode(settings);
  const told = safeMode ? problems.filter(({ code }) => code !== "config.safe_mode") : problems;
  return (
    <Banner
      tone={safeMode ? "failed" : "caution"}
      title={
        safeMode
          ? t("settings.safeMode.title")
          : t("settings.safeMode.problems", { count: told.length })
      }
    >
      <div className={css["problems"]}>
        {safeMode && <p>{problems.find(({ code }) => code === "config.safe_mode")?.message}</p>}
        <ul>
          {told.map((problem) => (
            <li key={`${problem.where} ${problem.message}`} className={css["problem"]}>
              {problem.where !== null && <span className={css["where"]}>{problem.where}</span>}
              <span>{problem.message}</span>
              {problem.remedy !== null && <span className={css["remedy"]}>{problem.remedy}</span>}
            </li>
          ))}
        </ul>
        <Id value={file} label={t("settings.safeMode.file")} head={80} />
      </div>
    </Banner>
  );
}

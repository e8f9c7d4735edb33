import X from "lucide-react/icons/x";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import { Button } from "../components/button.tsx";
import { IconButton } from "../components/icon-button.tsx";
import { StateGlyph } from "../components/state-glyph.tsx";
import { usePanel } from "../stores/panel.tsx";
import { SHOWN_TOASTS, type Toast } from "../stores/toasts.ts";
import css from "./toasts.module.css";

/** Taps on the shoulder, bottom right, newest below, at most three (ux.md 8). The focus never moves to them. */
export function Toasts() {
  const { t } = useTranslation();
  const { toasts, notices } = usePanel();
  const all = useStore(toasts.store, (state) => state.toasts);
  const { hold } = toasts.actions;
  useEffect(() => {
    const look = () => {
      hold("hidden", document.hidden);
    };
    document.addEventListener("visibilitychange", look);
    return () => {
      document.removeEventListener("visibilitychange", look);
    };
  }, [hold]);
  const hidden = Math.max(0, all.length - SHOWN_TOASTS);
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- only stops the clock while watched
    <section
      className={css["stack"]}
      aria-label={t("region.toasts")}
      onPointerEnter={() => {
        hold("hover", true);
      }}
      onPointerLeave={() => {
        hold("hover", false);
      }}
      onFocus={() => {
        hold("focus", true);
      }}
      onBlur={() => {
        hold("focus", false);
      }}
    >
      {hidden > 0 && (
        <Button
          size="small"
          onClick={() => {
            notices.actions.setOpen(true);
          }}
        >
          {t("toast.more", { count: hidden })}
        </Button>
      )}
      {all.slice(-SHOWN_TOASTS).map((toast) => (
        <ToastCard key={toast.id} toast={toast} />
      ))}
    </section>
  );
}

function ToastCard({ toast }: { toast: Toast }) {
  const { t } = useTranslation();
  const { toasts } = usePanel();
  const { id, tone, title, body, actions, count } = toast;
  return (
    <div className={css["toast"]} role={tone === "info" ? "status" : "alert"} data-tone={tone}>
      {tone !== "info" && (
        <span className={css["sign"]}>
          <StateGlyph state={tone === "failed" ? "failed" : "waiting"} />
        </span>
      )}
      <div className={css["words"]}>
        <p className={css["title"]}>
          {title}
          {count > 1 && <span className={css["count"]}> {t("notices.times", { count })}</span>}
        </p>
        {body !== undefined && body !== "" && <p className={css["body"]}>{body}</p>}
      </div>
      <div className={css["actions"]}>
        {actions.map(({ label, run }) => (
          <Button
            key={label}
            size="small"
            onClick={() => {
              toasts.actions.dismiss(id);
              run();
            }}
          >
            {label}
          </Button>
        ))}
        <IconButton
          icon={X}
          size="small"
          label={t("action.dismiss")}
          side="top"
          onClick={() => {
            toasts.actions.dismiss(id);
          }}
        />
      </div>
    </div>
  );
}

import X from "lucide-react/icons/x";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import type { Notice } from "../../core/contract/domain.ts";
import { Button } from "../components/button.tsx";
import { Empty } from "../components/empty.tsx";
import { Failure } from "../components/failure.tsx";
import { IconButton } from "../components/icon-button.tsx";
import { Link } from "../components/link.tsx";
import { Segments } from "../components/segments.tsx";
import { StateGlyph } from "../components/state-glyph.tsx";
import type { StateName } from "../components/state-names.ts";
import { Time } from "../components/time.tsx";
import type { NoticeKind } from "../stores/notice-policy.ts";
import { usePanel } from "../stores/panel.tsx";
import css from "./notices-panel.module.css";

const glyphs: Record<NoticeKind, StateName> = {
  info: "idle",
  needs_you: "waiting",
  failed: "failed",
  channel_down: "down",
  watch: "resume_pending",
};
const kinds = ["needs_you", "failed", "channel_down", "watch", "info"] as const;

/** The record of what the operator was told: thirty days, newest first. */
export function NoticesPanel() {
  const { t } = useTranslation();
  const { notices } = usePanel();
  const open = useStore(notices.store, (state) => state.open);
  const all = useStore(notices.store, (state) => state.notices);
  const hasMore = useStore(notices.store, (state) => state.hasMore);
  const error = useStore(notices.store, (state) => state.error);
  const [kind, setKind] = useState<NoticeKind | "all">("all");
  const panel = useRef<HTMLElement>(null);
  useEffect(() => {
    if (!open) return;
    const before = document.activeElement;
    panel.current?.focus();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, [open]);
  if (!open) return null;
  const shown = all.filter((one) => kind === "all" || one.kind === kind);
  const present = kinds.filter((one) => all.some((notice) => notice.kind === one));
  return (
    <aside
      ref={panel}
      className={css["panel"]}
      aria-label={t("notices.title")}
      data-region="notices"
      tabIndex={-1}
    >
      <header className={css["header"]}>
        <h2 className={css["title"]}>{t("notices.title")}</h2>
        <IconButton
          icon={X}
          size="small"
          label={t("action.close")}
          onClick={() => {
            notices.actions.setOpen(false);
          }}
        />
      </header>
      {present.length > 1 && (
        <div className={css["kinds"]}>
          <Segments
            label={t("notices.title")}
            value={kind}
            onChange={setKind}
            options={[
              { id: "all", label: t("notices.all") },
              ...present.map((id) => ({ id, label: t(`notices.kind.${id}`) })),
            ]}
          />
        </div>
      )}
      {error !== null && <Failure error={error} onRetry={() => void notices.actions.pull()} />}
      {error === null && shown.length === 0 && (
        <Empty title={t(all.length === 0 ? "notices.empty" : "notices.emptyKind")} />
      )}
      <ul className={css["list"]}>
        {shown.map((notice) => (
          <NoticeItem key={notice.id} notice={notice} />
        ))}
        {hasMore && (
          <li className={css["more"]}>
            <Button size="small" onClick={() => void notices.actions.older()}>
              {t("notices.more")}
            </Button>
          </li>
        )}
      </ul>
    </aside>
  );
}

function NoticeItem({ notice }: { notice: Notice }) {
  const { t } = useTranslation();
  const { kind, title, body, link, count, atMs, seen } = notice;
  return (
    <li className={css["item"]} data-unseen={!seen || undefined}>
      <span className={css["sign"]}>
        <StateGlyph state={glyphs[kind]} title={t(`notices.kind.${kind}`)} />
      </span>
      <div className={css["words"]}>
        <p className={css["line"]}>
          <span className={css["subject"]}>
            {link === null ? title : <Link href={link}>{title}</Link>}
          </span>
          {count > 1 && <span className={css["count"]}>{t("notices.times", { count })}</span>}
          <Time atMs={atMs} />
        </p>
        {body !== "" && <p className={css["body"]}>{body}</p>}
      </div>
      {!seen && <span className="quiet">{t("notices.unread")}</span>}
    </li>
  );
}

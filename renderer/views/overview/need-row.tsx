import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "../../components/button.tsx";
import { Link } from "../../components/link.tsx";
import { StateChip } from "../../components/state-chip.tsx";
import { Time } from "../../components/time.tsx";
import { sessionName } from "../../i18n/session-name.ts";
import { go, sessionPath } from "../../shell/location.ts";
import { usePanel } from "../../stores/panel.tsx";
import { remedyOf, type Need } from "./needs.ts";
import css from "./overview.module.css";

/** One thing that needs the operator: what, why, since when, and the button that helps. */
export function NeedRow({ need }: { need: Need }) {
  const { chip, name, href, why, where } = useWords(need);
  const { label, run } = useRemedy(need);
  return (
    <li className={css["need"]}>
      <span className={css["needState"]}>{chip}</span>
      <span className={css["needWords"]}>
        <span className={css["needTitle"]}>
          <Link href={href}>{name}</Link>
          {where !== null && <span className={css["needWhere"]}>{where}</span>}
        </span>
        <span className={css["needWhy"]}>{why}</span>
      </span>
      <span className={css["needSince"]}>
        <Time atMs={need.sinceMs} form="since" />
      </span>
      <span className={css["needAct"]}>
        <Button size="small" onClick={run}>
          {label}
          <span className="quiet">: {name}</span>
        </Button>
      </span>
    </li>
  );
}

interface Words {
  chip: ReactNode;
  name: string;
  href: string;
  /** Where it is: its channel. */
  where: string | null;
  why: string;
}

function useWords(need: Need): Words {
  const { t } = useTranslation();
  switch (need.kind) {
    case "session": {
      const { row } = need;
      const why =
        row.error?.message ??
        (row.state === "stuck" || row.state === "waiting"
          ? t(`overview.needs.why.${row.state}`)
          : t("overview.needs.why.failed"));
      return {
        chip: <StateChip state={row.state} bare />,
        name: sessionName(row, t),
        href: sessionPath(row.key),
        where: row.channelId,
        why,
      };
    }
    case "channel":
      return {
        chip: <StateChip state="down" bare />,
        name: need.row.id,
        href: "/channels",
        where: need.row.account,
        why: need.row.lastError?.message ?? t("overview.needs.why.down"),
      };
    case "delivery":
      return {
        chip: <StateChip state="unknown" bare />,
        name: sessionName(need.row, t),
        href: sessionPath(need.row.key),
        where: need.row.channelId,
        why: t("overview.needs.deliveryWhy", {
          count: need.row.attempts,
          reason: need.row.lastError ?? "",
        }),
      };
    case "settings":
      return {
        chip: <StateChip state="degraded" bare word={t("overview.needs.chip.settings")} />,
        name: need.first.where ?? t("overview.needs.settingsTitle"),
        href: "/settings",
        where: null,
        why:
          need.more === 0
            ? need.first.message
            : `${need.first.message} (${t("overview.needs.moreProblems", { count: need.more })})`,
      };
    case "store":
      return {
        chip: <StateChip state={need.state} bare />,
        name: t("overview.needs.storeTitle"),
        href: "/settings?section=data",
        where: null,
        why: t(`overview.needs.store.${need.state}`),
      };
  }
}

function useRemedy(need: Need): { label: string; run: () => void } {
  const { t } = useTranslation();
  const { acts } = usePanel();
  const remedy = remedyOf(need);
  switch (remedy.act) {
    case "settings":
      return {
        label: t("overview.needs.act.settings"),
        run: () => {
          go(remedy.section === null ? "/settings" : `/settings?section=${remedy.section}`);
        },
      };
    case "agents":
      return {
        label: t("overview.needs.act.agents"),
        run: () => {
          go("/agents");
        },
      };
    case "deliveries":
      return {
        label: t("overview.needs.act.decide"),
        run: () => {
          go("/recovery?tab=deliveries");
        },
      };
    case "channel":
      return {
        label: t(remedy.edit === null ? "overview.needs.act.channel" : "overview.needs.act.hook"),
        run: () => {
          go(
            remedy.edit === null
              ? "/channels"
              : `/channels?edit=${encodeURIComponent(remedy.edit)}`,
          );
        },
      };
    case "unsuspend":
      return {
        label: t("overview.needs.act.unsuspend"),
        run: () => {
          if (need.kind === "session") void acts.act("unsuspend", [need.row]);
        },
      };
    case "open":
    case "answer":
      return {
        label: t(`overview.needs.act.${remedy.act}`),
        run: () => {
          if (need.kind === "session") go(sessionPath(need.row.key));
        },
      };
  }
}

import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import { Bytes, Count } from "../../components/numbers.tsx";
import { Sparkline } from "../../components/sparkline.tsx";
import { Tile } from "../../components/tile.tsx";
import { Unknown } from "../../components/unknown.tsx";
import { byteSize, groupedCount } from "../../i18n/format.ts";
import { usePanel } from "../../stores/panel.tsx";
import { growth, type Reading } from "../../stores/readings.ts";
import css from "./overview.module.css";

const BUCKETS_A_MINUTE = 6;

/** Minutes since midnight where this window is: what "today" means in the session filter. */
const minutesToday = (): number => {
  const now = new Date();
  return Math.max(1, now.getHours() * 60 + now.getMinutes());
};

/** The gateway's figures, each a link to what is behind it. */
export function Tiles() {
  const { t, i18n } = useTranslation();
  const { gateway, readings } = usePanel();
  const status = useStore(gateway.store, (state) => state.status);
  const points = useStore(readings.store, (state) => state.points);

  const count = (value: number) => groupedCount(value, i18n.language);
  const ms = (value: number) =>
    t("overview.tile.ms", {
      value: new Intl.NumberFormat(i18n.language, {
        maximumFractionDigits: value < 10 ? 1 : 0,
      }).format(value),
    });
  const line = (
    label: string,
    of: (reading: Reading) => number | null,
    form: (value: number) => string,
  ): ReactNode => <Line label={label} points={points.map(of)} form={form} />;
  const steps = (label: string, of: (reading: Reading) => number | null): ReactNode => (
    <Line label={label} points={growth(points.map(of))} form={count} steps />
  );
  const loop = status?.loopDelayP99Ms ?? null;
  const [running, queued, turns, failed, loopLabel, memory] = [
    t("overview.tile.running"),
    t("overview.tile.queued"),
    t("overview.tile.turns"),
    t("overview.tile.failed"),
    t("overview.tile.loop"),
    t("overview.tile.memory"),
  ];

  return (
    <section className={css["tiles"]} aria-label={t("overview.tile.label")}>
      <div className={css["tileGroup"]}>
        <Tile
          label={running}
          value={<Count value={status?.counts.running ?? null} />}
          href="/sessions?segment=running"
        >
          {line(running, (reading) => reading.running, count)}
        </Tile>
        <Tile label={queued} value={<Count value={status?.counts.queued ?? null} />} href="/queues">
          {line(queued, (reading) => reading.queued, count)}
        </Tile>
        <Tile
          label={turns}
          value={<Count value={status?.turns.today ?? null} />}
          href={`/sessions?filter=idle:<${minutesToday()}m`}
        >
          {steps(turns, (reading) => reading.turns)}
        </Tile>
      </div>
      <div className={css["tileGroup"]}>
        <Tile
          label={failed}
          value={<Count value={status?.turns.failedToday ?? null} />}
          href="/sessions?filter=state:failed"
        >
          {steps(failed, (reading) => reading.failed)}
        </Tile>
        <Tile
          label={loopLabel}
          value={loop === null ? <Unknown /> : ms(loop)}
          href="/settings?section=logs"
        >
          {line(loopLabel, (reading) => reading.loopDelayMs, ms)}
        </Tile>
        <Tile
          label={memory}
          value={<Bytes value={status?.memory.rssBytes ?? null} />}
          href="/settings?section=about"
        >
          {line(
            memory,
            (reading) => reading.rssBytes,
            (value) => byteSize(value, i18n.language),
          )}
        </Tile>
      </div>
    </section>
  );
}

interface LineProps {
  label: string;
  points: readonly (number | null)[];
  form: (value: number) => string;
  /** The points are what came in each step, not how much there was. */
  steps?: boolean;
}

function Line({ label, points, form, steps = false }: LineProps) {
  const { t } = useTranslation();
  const known = points.filter((point) => point !== null);
  if (known.length === 0) return <div className={css["noLine"]} />;
  const [low, high] = [form(Math.min(...known)), form(Math.max(...known))];
  const minutes = Math.max(1, Math.round(points.length / BUCKETS_A_MINUTE));
  const words = steps
    ? t("overview.tile.lineGrowth", { label, minutes, high })
    : t("overview.tile.line", { label, minutes, low, high });
  return <Sparkline points={points} label={words} />;
}

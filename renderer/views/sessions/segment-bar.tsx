import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import { Segments } from "../../components/segments.tsx";
import { setParams } from "../../shell/location.ts";
import { usePanel } from "../../stores/panel.tsx";
import { segments, type Segment } from "./sessions-address.ts";

const words = {
  "needs-me": "sessions.segment.needsMe",
  running: "sessions.segment.running",
  suspended: "sessions.segment.suspended",
  all: "sessions.segment.all",
} as const;

/** The four views of the list, with how many each holds. */
export function SegmentBar({ value }: { value: Segment }) {
  const { t } = useTranslation();
  const { sessions } = usePanel();
  const counts = useStore(sessions.store, (state) => state.counts);
  const held: Record<Segment, number | null> = {
    "needs-me": counts?.needsMe ?? null,
    running: counts?.running ?? null,
    suspended: counts?.suspended ?? null,
    all: counts?.all ?? null,
  };
  return (
    <Segments
      label={t("sessions.segment.label")}
      value={value}
      options={segments.map((id) => ({ id, label: t(words[id]), count: held[id] }))}
      onChange={(segment) => {
        setParams({ segment: segment === "all" ? null : segment });
      }}
    />
  );
}

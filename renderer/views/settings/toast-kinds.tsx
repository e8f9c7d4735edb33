import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import { Toggles } from "../../components/toggles.tsx";
import type { NoticeKind } from "../../stores/notice-policy.ts";
import { usePanel } from "../../stores/panel.tsx";
import { SettingFrame } from "./setting-row.tsx";

const kinds: readonly NoticeKind[] = ["needs_you", "failed", "channel_down", "watch", "info"];

/** Which kinds of notices raise a toast. */
export function ToastKinds() {
  const { t } = useTranslation();
  const { presentation } = usePanel();
  const muted = useStore(presentation.store, (state) => state.mutedToasts);
  const { set } = presentation.actions;
  return (
    <SettingFrame
      label={t("settings.general.toasts")}
      hint={t("settings.general.toastsHint")}
      error={null}
      busy={false}
      resetTo={muted.length === 0 ? null : t("notices.all")}
      onReset={() => {
        set({ mutedToasts: [] });
      }}
    >
      <Toggles
        label={t("settings.general.toasts")}
        options={kinds.map((id) => ({ id, label: t(`notices.kind.${id}`) }))}
        value={new Set(kinds.filter((kind) => !muted.includes(kind)))}
        onChange={(on) => {
          set({ mutedToasts: kinds.filter((kind) => !on.has(kind)) });
        }}
      />
    </SettingFrame>
  );
}

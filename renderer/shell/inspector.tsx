import Maximize from "lucide-react/icons/maximize-2";
import Pin from "lucide-react/icons/pin";
import X from "lucide-react/icons/x";
import { useEffect, useRef, type KeyboardEvent, type PointerEvent } from "react";
import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import { asSessionKey } from "../../core/contract/ids.ts";
import { cssVars } from "../components/css-vars.ts";
import { IconButton } from "../components/icon-button.tsx";
import { usePanel } from "../stores/panel.tsx";
import { SessionPanel } from "../views/session/session-panel.tsx";
import css from "./inspector.module.css";
import { closeInspector, go, sessionPath, setParams, useParams } from "./location.ts";
import { focusContentIfLost } from "./regions.ts";

/** Detail beside the list. The address says what it shows, so that a reload brings it back. */
export function Inspector() {
  const { t } = useTranslation();
  const { presentation } = usePanel();
  const params = useParams();
  const width = useStore(presentation.store, (state) => state.inspectorWidth);
  const open = params.get("open");
  const shown = open !== null;
  useEffect(() => (shown ? focusContentIfLost : undefined), [shown]);
  if (open === null) return null;
  const key = asSessionKey(open);
  const pinned = params.get("pin") === "1";
  return (
    <aside
      className={css["inspector"]}
      aria-label={t("region.inspector")}
      data-region="inspector"
      tabIndex={-1}
      style={cssVars({ "--share": width })}
    >
      <ResizeHandle />
      <SessionPanel
        key={key}
        sessionKey={key}
        corner={
          <>
            <IconButton
              icon={Pin}
              size="small"
              label={t(pinned ? "inspector.pinned" : "inspector.pin")}
              pressed={pinned}
              onClick={() => {
                setParams({ pin: pinned ? null : "1" });
              }}
            />
            <IconButton
              icon={Maximize}
              size="small"
              label={t("inspector.full")}
              onClick={() => {
                go(sessionPath(key));
              }}
            />
            <IconButton
              icon={X}
              size="small"
              label={t("inspector.close")}
              keys="app.inspector"
              onClick={closeInspector}
            />
          </>
        }
      />
    </aside>
  );
}

const STEP = 0.1;

/** The edge that sets the width: dragged, or moved by arrow keys. */
function ResizeHandle() {
  const { t } = useTranslation();
  const { presentation } = usePanel();
  const width = useStore(presentation.store, (state) => state.inspectorWidth);
  const drag = useRef<{ x: number; share: number } | null>(null);
  const set = (share: number) => {
    presentation.actions.set({ inspectorWidth: Math.min(1, Math.max(0, share)) });
  };
  const move = (event: PointerEvent<HTMLDivElement>) => {
    if (drag.current === null) return;
    const style = getComputedStyle(event.currentTarget);
    const range =
      Number.parseFloat(style.getPropertyValue("--inspector-max")) -
      Number.parseFloat(style.getPropertyValue("--inspector-min"));
    const towards = style.direction === "rtl" ? -1 : 1;
    set(drag.current.share + (towards * (drag.current.x - event.clientX)) / range);
  };
  const press = (event: KeyboardEvent<HTMLDivElement>) => {
    if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
    event.preventDefault();
    set(width + (event.key === "ArrowLeft" ? STEP : -STEP));
  };
  return (
    <div
      className={css["handle"]}
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a separator with a value is a widget, an hr is not
      role="separator"
      aria-orientation="vertical"
      aria-label={t("inspector.resize")}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(width * 100)}
      tabIndex={0}
      onKeyDown={press}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        drag.current = { x: event.clientX, share: width };
      }}
      onPointerMove={move}
      onPointerUp={() => {
        drag.current = null;
      }}
    />
  );
}

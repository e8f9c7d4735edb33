import { Dialog as Base } from "@base-ui/react/dialog";
import X from "lucide-react/icons/x";
import type { ReactNode, RefObject } from "react";
import { useTranslation } from "react-i18next";
import css from "./dialog.module.css";
import { IconButton } from "./icon-button.tsx";

export interface DialogProps {
  open: boolean;
  title: string;
  onClose: () => void;
  children: ReactNode;
  /** Buttons, the safe one first in the tab order. */
  footer?: ReactNode;
  /** What has the focus when it opens. Default: the first that can take it. */
  initialFocus?: RefObject<HTMLElement | null>;
  width?: "regular" | "wide";
}

/** A dialog over a page that stays readable. Esc and a click outside close it; the focus returns to where it was. */
export function Dialog(props: DialogProps) {
  const { t } = useTranslation();
  const { open, title, onClose, children, footer, initialFocus, width = "regular" } = props;
  return (
    <Base.Root
      open={open}
      onOpenChange={(next) => {
        if (!next) onClose();
      }}
    >
      <Base.Portal>
        <Base.Backdrop className={css["backdrop"]} />
        <Base.Viewport className={css["viewport"]}>
          <Base.Popup
            className={css["popup"]}
            data-width={width}
            data-overlay
            {...(initialFocus === undefined ? {} : { initialFocus })}
          >
            <div className={css["top"]}>
              <Base.Title className={css["title"]}>{title}</Base.Title>
              {footer === undefined && (
                <IconButton icon={X} size="small" label={t("action.close")} onClick={onClose} />
              )}
            </div>
            <div className={css["body"]}>{children}</div>
            {footer !== undefined && <div className={css["footer"]}>{footer}</div>}
          </Base.Popup>
        </Base.Viewport>
      </Base.Portal>
    </Base.Root>
  );
}

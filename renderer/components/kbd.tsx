import { Fragment } from "react";
import { useTranslation } from "react-i18next";
import { keyCaps } from "../keys/match.ts";
import { isMac } from "../keys/platform.ts";
import css from "./kbd.module.css";

/** A shortcut as the platform prints it: caps in a row, sequences with "then" for who listens. */
export function Kbd({ keys }: { keys: string }) {
  const { t } = useTranslation();
  return (
    <span className={css["keys"]}>
      {keyCaps(keys, isMac).map((caps, press) => (
        <Fragment key={caps.join("+") + press}>
          {press > 0 && <span className="quiet">{t("keys.sequence")}</span>}
          <kbd className={css["press"]}>{caps.join(isMac ? "" : "+")}</kbd>
        </Fragment>
      ))}
    </span>
  );
}

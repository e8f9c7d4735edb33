import { useTranslation } from "react-i18next";
import { Banner } from "../../components/banner.tsx";
import { Button } from "../../components/button.tsx";
import { CopyButton } from "../../components/copy-button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { gatewayAddress, hookCommand } from "./hook-command.ts";
import css from "./channels.module.css";

export interface HookShownProps {
  name: string;
  /** The secret that was just saved; null where it was saved earlier and is not known here. */
  secret: string | null;
  onClose: () => void;
}

/** How to post to a webhook: its address, its secret this once, and a signed command to try. */
export function HookShown({ name, secret, onClose }: HookShownProps) {
  const { t } = useTranslation();
  const path = `/hooks/${name}`;
  const address = gatewayAddress(path, window.location.origin);
  const command = hookCommand({
    url: address ?? `http://127.0.0.1:PORT${path}`,
    secret,
    secretPlace: t("channels.shown.secretPlace", { name }),
    text: t("channels.shown.message"),
  });
  return (
    <Dialog
      open
      title={t("channels.shown.title", { name })}
      width="wide"
      onClose={onClose}
      footer={
        <Button tone="primary" onClick={onClose}>
          {t("channels.shown.done")}
        </Button>
      }
    >
      {secret !== null && (
        <div className={css["shown"]}>
          <span className={css["shownLabel"]}>{t("channels.shown.secret")}</span>
          <code className={css["code"]}>{secret}</code>
          <CopyButton text={secret} what={t("channels.shown.secretName")} />
        </div>
      )}
      <div className={css["shown"]}>
        <span className={css["shownLabel"]}>{t("channels.shown.address")}</span>
        <code className={css["code"]}>{address ?? path}</code>
        <CopyButton text={address ?? path} what={t("channels.address")} />
      </div>
      {address === null && <Banner tone="info" title={t("channels.noPort")} />}
      <div className={css["shown"]}>
        <span className={css["shownTitle"]}>{t("channels.shown.try")}</span>
        <CopyButton text={command} what={t("channels.shown.command")} />
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by keys */}
        <pre className={css["command"]} tabIndex={0}>
          {command}
        </pre>
        <span className={css["shownHint"]}>{t("channels.shown.tryHint")}</span>
      </div>
    </Dialog>
  );
}

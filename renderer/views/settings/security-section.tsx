import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import { Button } from "../../components/button.tsx";
import { Empty } from "../../components/empty.tsx";
import { Facts } from "../../components/facts.tsx";
import { Id } from "../../components/id.tsx";
import { Link } from "../../components/link.tsx";
import { Panel } from "../../components/panel.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { StateChip } from "../../components/state-chip.tsx";
import { usePanel } from "../../stores/panel.tsx";
import type { SettingsStore } from "../../stores/settings.ts";
import { useLocked } from "../../stores/use-locked.ts";
import { secretPlaces, type SecretPlace } from "./secrets.ts";
import { NumberSetting } from "./setting-row.tsx";
import css from "./settings.module.css";

/** Secrets, which are written and never read, and who may come in. */
export function SecuritySection({ store }: { store: SettingsStore }) {
  const { t } = useTranslation();
  const { gateway } = usePanel();
  const dataDir = useStore(gateway.store, (state) => state.status?.dataDir);
  const desktop = !/^https?:/.test(window.location.origin);
  const slash = dataDir?.includes("\\") === true ? "\\" : "/";
  return (
    <>
      <SecretsPanel store={store} />
      <Panel title={t("settings.security.access")}>
        <Facts
          rows={[
            {
              label: t("settings.security.token"),
              value:
                dataDir === undefined ? (
                  <Skeleton />
                ) : (
                  <Id
                    value={`${dataDir}${slash}token`}
                    label={t("settings.security.tokenName")}
                    head={80}
                  />
                ),
              hint: t("settings.security.tokenHint"),
            },
            {
              label: t("settings.security.origin"),
              value: desktop ? t("settings.security.desktop") : window.location.origin,
              ...(desktop ? {} : { hint: t("settings.security.originHint") }),
            },
          ]}
        />
        <NumberSetting
          store={store}
          path="server.port"
          label={t("settings.security.port")}
          hint={t("settings.security.portHint")}
          none={t("settings.security.portAny")}
        />
      </Panel>
    </>
  );
}

function SecretsPanel({ store }: { store: SettingsStore }) {
  const { t } = useTranslation();
  const { ask } = usePanel();
  const read = useStore(store.store, (state) => state.value);
  const places = secretPlaces(read?.value);
  const locked = useLocked(read);
  const remove = ({ path, kind }: SecretPlace) => {
    const effect = { key: "effectKey", hook: "effectHook", out: "effectOut" } as const;
    ask.actions.ask({
      title: t("settings.security.removeTitle"),
      facts: [
        { label: t("settings.security.place"), value: path },
        { label: t("settings.security.effect"), value: t(`settings.security.${effect[kind]}`) },
      ],
      verb: t("settings.security.removeVerb"),
      busyVerb: t("settings.security.removing"),
      tone: "danger",
      run: () => store.actions.set(path, null),
    });
  };
  return (
    <Panel title={t("settings.security.secrets")} flush>
      {places.length === 0 ? (
        <Empty title={t("settings.security.noSecrets")} />
      ) : (
        <ul className={css["secrets"]}>
          {places.map((place) => (
            <li key={place.path} className={css["secretRow"]}>
              <span className={css["place"]}>{place.path}</span>
              <StateChip
                state={place.isSet ? "ok" : "stopped"}
                bare
                word={t(place.isSet ? "settings.security.set" : "settings.security.missing")}
              />
              <span className={css["secretActs"]}>
                <Link
                  href={place.href}
                  label={t("settings.security.changeWhat", { what: place.path })}
                >
                  {t("settings.security.change")}
                </Link>
                {place.isSet && (
                  <Button
                    size="small"
                    tone="quiet"
                    why={locked}
                    onClick={() => {
                      remove(place);
                    }}
                  >
                    {t("settings.security.remove")}
                    <span className="quiet"> {place.path}</span>
                  </Button>
                )}
              </span>
            </li>
          ))}
        </ul>
      )}
      <p className={css["panelNote"]}>{t("settings.security.secretsHint")}</p>
    </Panel>
  );
}

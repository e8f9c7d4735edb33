import { useEffect, useRef, useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import type { SessionKey } from "../../../core/contract/ids.ts";
import { asHandlers, useSessionCommands } from "../../commands/session-commands.ts";
import { Empty } from "../../components/empty.tsx";
import { Failure } from "../../components/failure.tsx";
import { Link } from "../../components/link.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { copyText } from "../../components/copy.ts";
import { sessionName } from "../../i18n/session-name.ts";
import { useCommands } from "../../keys/use-commands.ts";
import { setParams, useParams } from "../../shell/location.ts";
import { composerStore } from "../../stores/composer.ts";
import { usePanel } from "../../stores/panel.tsx";
import type { Session } from "../../stores/session.ts";
import { sessionStore } from "../../stores/session.ts";
import { transcriptStore } from "../../stores/transcript.ts";
import { useViewStore } from "../../stores/use-view-store.ts";
import { Composer } from "./composer.tsx";
import { FlagsTab } from "./flags-tab.tsx";
import { LogsTab } from "./logs-tab.tsx";
import { QueueTab } from "./queue-tab.tsx";
import { SessionHeader } from "./session-header.tsx";
import css from "./session-panel.module.css";
import { Transcript } from "./transcript.tsx";
import { asMarkdown } from "./transcript-items.ts";

const tabs = ["transcript", "queue", "flags", "logs"] as const;
type TabId = (typeof tabs)[number];

export interface SessionPanelProps {
  sessionKey: SessionKey;
  corner?: ReactNode;
  /** False on a page of its own, whose top bar has the title. */
  titled?: boolean;
  /** Given where the page around it needs the session too. */
  session?: Session;
}

/** One session: header, transcript with composer, queue, flags, logs. The same in the inspector and on its own page. */
export function SessionPanel({
  sessionKey,
  corner,
  titled = true,
  session: given,
}: SessionPanelProps) {
  const panel = usePanel();
  const own = useViewStore(
    // A store that was given is started by who gave it.
    () =>
      given === undefined
        ? sessionStore(sessionKey, panel.bridge, panel.timer)
        : { ...given, start: () => () => {} },
    [given, sessionKey, panel],
  );
  const { detail, error } = useStore(own.store);
  const { t } = useTranslation();
  if (detail === null && error?.code === "E_NOT_FOUND")
    return (
      <>
        <div className={css["alone"]}>{corner}</div>
        <Empty
          title={t("session.missing")}
          action={<Link href="/sessions">{t("screen.sessions")}</Link>}
        >
          {t("session.missingBody")}
        </Empty>
      </>
    );
  if (detail === null && error !== null)
    return <Failure error={error} onRetry={() => void own.actions.pull()} />;
  return <Loaded sessionKey={sessionKey} session={own} corner={corner} titled={titled} />;
}

interface LoadedProps {
  sessionKey: SessionKey;
  session: Session;
  corner: ReactNode;
  titled: boolean;
}

function Loaded({ sessionKey, session, corner, titled }: LoadedProps) {
  const { t } = useTranslation();
  const panel = usePanel();
  const params = useParams();
  const box = useRef<HTMLDivElement>(null);
  const detail = useStore(session.store, (state) => state.detail);
  const [find, setFind] = useState<string | null>(null);
  const transcript = useViewStore(
    () => transcriptStore(sessionKey, panel.bridge, panel.lanes),
    [sessionKey, panel],
  );
  const composer = useViewStore(
    () =>
      composerStore({
        sessionKey,
        bridge: panel.bridge,
        drafts: panel.drafts,
        gatewayNowMs: panel.gateway.nowMs,
        newId: () => crypto.randomUUID(),
      }),
    [sessionKey, panel],
  );
  const commandsFor = useSessionCommands();
  useEffect(() => {
    panel.selection.actions.show(detail);
    return () => {
      panel.selection.actions.show(null);
    };
  }, [panel, detail]);
  const tab: TabId = tabs.find((one) => one === params.get("tab")) ?? "transcript";
  const setTab = (id: TabId) => {
    setParams({ tab: id === "transcript" ? null : id });
  };
  const step = (by: number) => () => {
    setTab(tabs[(tabs.indexOf(tab) + by + tabs.length) % tabs.length] ?? "transcript");
    return true;
  };
  useCommands(
    {
      ...asHandlers(() => commandsFor(detail === null ? [] : [detail])),
      "app.filter": () => {
        setTab("transcript");
        setFind(find ?? "");
        return true;
      },
    },
    box,
  );
  useCommands({ "tab.previous": step(-1), "tab.next": step(1) });

  const copyMarkdown = async () => {
    if (detail === null) return;
    const { messages } = transcript.store.getState();
    const text = asMarkdown(
      sessionName(detail, t),
      messages,
      (message) =>
        message.from ??
        t(message.role === "user" ? "session.transcript.you" : "session.transcript.agent"),
    );
    if (await copyText(text))
      panel.toasts.actions.raise({
        title: t("copiedThing", { what: t("session.transcript.copiedMarkdown") }),
        subject: "copied",
      });
  };

  return (
    <div ref={box} className={css["panel"]}>
      {detail === null ? (
        <div className={css["loading"]}>
          <div className={css["alone"]}>{corner}</div>
          <Skeleton width={32} lines={3} />
        </div>
      ) : (
        <SessionHeader
          detail={detail}
          titled={titled}
          corner={corner}
          onFind={() => {
            setTab("transcript");
            setFind("");
          }}
          onCopyMarkdown={() => void copyMarkdown()}
        />
      )}
      <Tabs
        label={t("session.tab.label")}
        value={tab}
        onChange={setTab}
        tabs={tabs.map((id) => ({
          id,
          label: t(`session.tab.${id}`),
          count:
            id === "queue" ? detail?.queueDepth : id === "flags" ? detail?.flags.length : undefined,
        }))}
      >
        {tab === "transcript" && (
          <>
            <Transcript
              transcript={transcript}
              composer={composer}
              detail={detail}
              find={find}
              onFind={setFind}
            />
            <Composer
              composer={composer}
              running={detail?.state === "running"}
              ready={params.get("write") === "1"}
              onStop={() => {
                if (detail !== null) void panel.acts.act("stop", [detail]);
              }}
              onLeave={() => {
                const log = box.current?.querySelector<HTMLElement>("[role=log]:not([hidden])");
                if (log) log.focus();
                else if (document.activeElement instanceof HTMLElement)
                  document.activeElement.blur();
              }}
            />
          </>
        )}
        {tab === "queue" && detail !== null && <QueueTab waiting={detail.waiting} />}
        {tab === "flags" && detail !== null && <FlagsTab detail={detail} />}
        {tab === "logs" && <LogsTab sessionKey={sessionKey} />}
      </Tabs>
    </div>
  );
}

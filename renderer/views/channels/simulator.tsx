import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import { Button } from "../../components/button.tsx";
import { Empty } from "../../components/empty.tsx";
import { Field } from "../../components/field.tsx";
import { Link } from "../../components/link.tsx";
import { Panel } from "../../components/panel.tsx";
import { Select } from "../../components/select.tsx";
import { StateChip } from "../../components/state-chip.tsx";
import { TextArea, TextInput } from "../../components/text-input.tsx";
import { Time } from "../../components/time.tsx";
import { sessionPath } from "../../shell/location.ts";
import { usePanel } from "../../stores/panel.tsx";
import { useViewStore } from "../../stores/use-view-store.ts";
import { chatTypes } from "./hook-form.ts";
import { simulatedPlatforms, simulatorStore, type Landing, type Post } from "./simulator-store.ts";
import css from "./channels.module.css";

/** Posts as any platform, chat and person, and shows the session key that each message landed in. */
export function Simulator({ on }: { on: boolean }) {
  const { t } = useTranslation();
  return (
    <Panel title={t("channels.simulator.title")} flush>
      {on ? <SimulatorBody /> : <Empty title={t("channels.simulator.off")} />}
    </Panel>
  );
}

function SimulatorBody() {
  const { t } = useTranslation();
  const { bridge, gateway } = usePanel();
  const simulator = useViewStore(() => simulatorStore(bridge, gateway.nowMs), [bridge, gateway]);
  const { landings, posting } = useStore(simulator.store);
  return (
    <div className={css["simulator"]}>
      <PostForm posting={posting} onPost={(post) => void simulator.actions.post(post)} />
      <section className={css["landings"]} aria-label={t("channels.simulator.results")}>
        {landings.length === 0 ? (
          <p className={css["muted"]}>{t("channels.simulator.none")}</p>
        ) : (
          <ol aria-live="polite">
            {landings.map((landing) => (
              <LandingRow key={landing.id} landing={landing} />
            ))}
          </ol>
        )}
      </section>
    </div>
  );
}

const blank: Post = {
  platform: "telegram",
  chatType: "group",
  chatId: "-1001",
  threadId: "",
  userId: "anna",
  userName: "Anna",
  text: "",
};

function PostForm({ posting, onPost }: { posting: boolean; onPost: (post: Post) => void }) {
  const { t } = useTranslation();
  const [post, setPost] = useState(blank);
  const text = (name: "chatId" | "threadId" | "userId" | "userName", optional = false) => (
    <Field label={t(`channels.simulator.${name === "threadId" ? "thread" : name}`)}>
      <TextInput
        mono={name !== "userName"}
        wide
        value={post[name]}
        {...(optional ? { placeholder: t("channels.simulator.optional") } : {})}
        onChange={(value) => {
          setPost({ ...post, [name]: value });
        }}
      />
    </Field>
  );
  const send = () => {
    if (post.text.trim() === "" || post.chatId.trim() === "" || posting) return;
    onPost(post);
    setPost({ ...post, text: "" });
  };
  return (
    <form
      className={css["post"]}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <div className={css["postFields"]}>
        <Field label={t("channels.simulator.platform")}>
          <Select
            value={post.platform}
            options={simulatedPlatforms.map((value) => ({ value, label: value }))}
            onChange={(platform) => {
              setPost({ ...post, platform });
            }}
          />
        </Field>
        <Field label={t("channels.simulator.chatType")}>
          <Select
            value={post.chatType}
            options={chatTypes.map((value) => ({ value, label: t(`channels.chatTypes.${value}`) }))}
            onChange={(chatType) => {
              setPost({ ...post, chatType });
            }}
          />
        </Field>
        {text("chatId")}
        {text("threadId", true)}
        {text("userId", true)}
        {text("userName", true)}
      </div>
      <Field label={t("channels.simulator.text")}>
        <TextArea
          rows={2}
          value={post.text}
          placeholder={t("channels.simulator.textPlace")}
          onChange={(value) => {
            setPost({ ...post, text: value });
          }}
        />
      </Field>
      <div>
        <Button
          type="submit"
          tone="primary"
          busy={posting}
          disabled={!posting && (post.text.trim() === "" || post.chatId.trim() === "")}
        >
          {posting ? t("channels.simulator.posting") : t("channels.simulator.post")}
        </Button>
      </div>
    </form>
  );
}

function LandingRow({ landing }: { landing: Landing }) {
  const { t } = useTranslation();
  const { post, outcome } = landing;
  return (
    <li className={css["landing"]}>
      <span className={css["landingHead"]}>
        {outcome.kind === "refused" ? (
          <StateChip state="failed" bare word={t("channels.simulator.refused")} />
        ) : (
          <StateChip
            state={outcome.kind === "duplicate" ? "suppressed" : "ok"}
            bare
            word={t(`channels.simulator.${outcome.kind}`)}
          />
        )}
        <span className={css["landingFrom"]}>
          {[
            post.platform,
            t(`channels.chatTypes.${post.chatType}`),
            post.chatId,
            post.threadId,
            post.userId,
          ]
            .filter((part) => part !== "")
            .join(" · ")}
        </span>
        <Time atMs={landing.atMs} />
      </span>
      {outcome.kind === "refused" ? (
        <span className={css["muted"]}>{outcome.message}</span>
      ) : (
        <Link href={sessionPath(outcome.key)} className={css["key"]}>
          {outcome.key}
        </Link>
      )}
      {outcome.kind !== "refused" && outcome.reply !== null && (
        <span className={css["muted"]}>{outcome.reply}</span>
      )}
    </li>
  );
}

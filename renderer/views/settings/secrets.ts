import { settingAt } from "../../stores/settings.ts";

/** A place of the settings that may hold a secret. What it holds never comes here. */
export interface SecretPlace {
  /** As in the settings file: `agents.openai.apiKey`. */
  path: string;
  kind: "key" | "hook" | "out";
  isSet: boolean;
  /** Where it is changed. */
  href: string;
}

const hasKey = (value: unknown): boolean => settingAt({ value }, "value.hasKey") === true;

const entriesOf = (value: unknown): [string, unknown][] =>
  typeof value === "object" && value !== null ? Object.entries(value) : [];

/** Every place for a secret that the settings have now: keys of agents, secrets of webhooks. */
export function secretPlaces(settings: unknown): SecretPlace[] {
  const agents = entriesOf(settingAt(settings, "agents")).map(([id, agent]): SecretPlace => ({
    path: `agents.${id}.apiKey`,
    kind: "key",
    isSet: hasKey(settingAt(agent, "apiKey")),
    href: `/agents?edit=${encodeURIComponent(id)}`,
  }));
  const hooks = entriesOf(settingAt(settings, "channels.webhook")).flatMap(([name, hook]) => {
    const href = `/channels?edit=${encodeURIComponent(name)}`;
    const path = `channels.webhook.${name}`;
    const own: SecretPlace = {
      path: `${path}.secret`,
      kind: "hook",
      isSet: hasKey(settingAt(hook, "secret")),
      href,
    };
    const out = settingAt(hook, "out.secret");
    const outgoing: SecretPlace = { path: `${path}.out.secret`, kind: "out", isSet: true, href };
    return hasKey(out) ? [own, outgoing] : [own];
  });
  return [...agents, ...hooks];
}

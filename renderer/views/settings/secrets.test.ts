import { expect, test } from "vitest";
import { secretPlaces } from "./secrets.ts";

test("every place for a secret is listed, with whether it is filled and where it is changed", () => {
  const settings = {
    agents: { openai: { apiKey: { hasKey: true } }, local: { apiKey: { hasKey: false } } },
    channels: {
      webhook: {
        deploys: { secret: { hasKey: true }, out: { secret: { hasKey: true } } },
        plain: { secret: { hasKey: false }, out: null },
      },
    },
  };
  expect(secretPlaces(settings).map(({ path, isSet, href }) => [path, isSet, href])).toEqual([
    ["agents.openai.apiKey", true, "/agents?edit=openai"],
    ["agents.local.apiKey", false, "/agents?edit=local"],
    ["channels.webhook.deploys.secret", true, "/channels?edit=deploys"],
    ["channels.webhook.deploys.out.secret", true, "/channels?edit=deploys"],
    ["channels.webhook.plain.secret", false, "/channels?edit=plain"],
  ]);
});

test("settings that are not here yet have none", () => {
  expect(secretPlaces(undefined)).toEqual([]);
});

import { agents } from "./agents.ts";
import { channels } from "./channels.ts";
import { firstRun } from "./first-run.ts";
import { overview } from "./overview.ts";
import { queues } from "./queues.ts";
import { recovery } from "./recovery.ts";
import { settings } from "./settings.ts";

/** Overview, Channels, Agents, Settings and the first run. */
export const views = { overview, channels, agents, settings, firstRun, queues, recovery };

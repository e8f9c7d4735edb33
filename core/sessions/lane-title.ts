import { describeSource } from "./description.ts";
import { firstPresent } from "./presence.ts";
import type { SessionSource } from "./session-source.ts";

/** A lane's name in the list: the chat's, else the person's, else what the source describes. */
export const laneTitle = (source: SessionSource): string =>
  firstPresent(
    source.chatName,
    source.chatType === "dm" ? firstPresent(source.userName, source.userId) : null,
  ) ?? (source.platform === "local" ? "New conversation" : describeSource(source));

import type { InboundMessage } from "../channels/channel.ts";
import { hashId } from "../sessions/redaction.ts";
import { participantId } from "../sessions/session-source.ts";
import { actorOfTurn } from "./actor.ts";
import type { Actor } from "./actor.ts";

/** Who is behind a message. Persons get an opaque id: no number or address goes into the journal (state-awareness 3.4). */
export function actorOfMessage(message: InboundMessage): Actor {
  const { provenance, source } = message;
  if (provenance?.kind === "inter_session")
    return actorOfTurn({
      inputKind: "inter_session",
      sourceSessionKey: provenance.from ?? undefined,
    });
  if (message.internal === true || message.resume || provenance)
    return actorOfTurn({ inputKind: "internal_system" });
  const person = participantId(source);
  return actorOfTurn({
    humanId:
      person === null
        ? undefined
        : source.platform === "local"
          ? person
          : `person-${hashId(JSON.stringify([source.platform, person]))}`,
  });
}

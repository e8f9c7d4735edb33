/** Who did something (state-awareness 3.2). `id` of an agent is its session's key, of a person an opaque id. */
export interface Actor {
  type: "human" | "agent" | "system";
  id: string | null;
}

export const systemActor: Actor = { type: "system", id: null };

export interface TurnProvenance {
  /** `inter_session`: another session's agent wrote it. `internal_system`: the gateway's own machinery. */
  inputKind?: string | undefined;
  sourceSessionKey?: string | undefined;
  hasInternalEvents?: boolean | undefined;
  sessionEffects?: string | undefined;
  /** The authenticated person, if known. */
  humanId?: string | undefined;
}

/** Decided once, where a turn is admitted. Whatever does not say otherwise counts as a person. */
export function actorOfTurn(from: TurnProvenance): Actor {
  if (from.inputKind === "inter_session")
    return { type: "agent", id: from.sourceSessionKey ?? null };
  if (
    from.inputKind === "internal_system" ||
    from.hasInternalEvents === true ||
    from.sessionEffects === "internal"
  )
    return systemActor;
  return { type: "human", id: from.humanId ?? null };
}

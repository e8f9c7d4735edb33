declare const brand: unique symbol;
type Id<Name extends string> = string & { readonly [brand]: Name };

/** Conversation lane: names where a conversation happens and survives resets. Built only by `buildSessionKey()`. */
export type SessionKey = Id<"SessionKey">;
/** One incarnation of a lane, owner of one transcript; a reset mints a new one. */
export type SessionId = Id<"SessionId">;
/** One bounded agent run. 32 lowercase hex digits; also the lane's active-turn token (lifecycle 10.2). */
export type TurnId = Id<"TurnId">;

/** Brands a stored or received string as a key. Never parse ids back out of a key (lifecycle 4.1). */
export const asSessionKey = (value: string): SessionKey => value as SessionKey;
/** Brands a stored or received string as a session id. */
export const asSessionId = (value: string): SessionId => value as SessionId;
/** Brands a stored or minted string as a turn id. */
export const asTurnId = (value: string): TurnId => value as TurnId;

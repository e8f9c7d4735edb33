import type { IncomingMessage } from "node:http";
import type { Clock } from "../clock.ts";
import { failedAttempts } from "./attempts.ts";
import { browserCookie, cookieOf, sameSecret } from "./token.ts";
import { HttpRefusal } from "./wire.ts";

export interface Credentials {
  /** @throws {HttpRefusal} 401, or 429 after too many wrong ones from this address. */
  demand(request: IncomingMessage, allowed: "bearer" | "bearer-or-cookie"): "bearer" | "cookie";
  /** Counts a failure that was found elsewhere (a code, a signature). Returns the refusal to give. */
  failed(request: IncomingMessage, message: string): HttpRefusal;
  /** The `Set-Cookie` line that logs a browser in. */
  cookieLine(): string;
}

/** Knows the one token and what is derived from it. What a proxy claims about the client proves nothing here. */
export function credentials(token: string, clock: Clock): Credentials {
  const attempts = failedAttempts(clock);
  const cookie = browserCookie(token);

  const failed = (request: IncomingMessage, message: string): HttpRefusal => {
    const waitMs = attempts.fail(request.socket.remoteAddress ?? "");
    if (waitMs === 0) return new HttpRefusal(401, "E_UNAUTHORIZED", message);
    return new HttpRefusal(429, "E_UNAUTHORIZED", "Too many failed tries; wait a little.", {
      "retry-after": String(Math.ceil(waitMs / 1000)),
    });
  };

  return {
    failed,
    demand(request, allowed) {
      const bearer = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? "")?.[1];
      if (bearer !== undefined && sameSecret(bearer, token)) return "bearer";
      const given =
        allowed === "bearer-or-cookie" ? cookieOf(request.headers.cookie, cookie.name) : null;
      if (given !== null && sameSecret(given, cookie.value)) return "cookie";
      if (bearer !== undefined || given !== null)
        throw failed(request, "The token is not the one of this gateway.");
      throw new HttpRefusal(
        401,
        "E_UNAUTHORIZED",
        "A token is needed: send it as `Authorization: Bearer …`, or log in with a link of `signalbox open`.",
      );
    },
    cookieLine: () =>
      `${cookie.name}=${cookie.value}; Path=/; Max-Age=${30 * 24 * 3600}; HttpOnly; SameSite=Strict`,
  };
}

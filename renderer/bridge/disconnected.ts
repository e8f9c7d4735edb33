import type { Reply } from "../../core/contract/bridge.ts";

/** The answer to a call that found no gateway. `asked` tells whether it may have run all the same. */
export function disconnected(asked: boolean): Reply<never> {
  return {
    ok: false,
    error: {
      code: "E_DISCONNECTED",
      message: asked
        ? "The gateway went away before it answered; what was asked may have happened."
        : "The gateway cannot be reached; nothing was sent.",
      details: { asked },
    },
  };
}

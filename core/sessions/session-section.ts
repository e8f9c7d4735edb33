import type { IsolationRules } from "./isolation.ts";
import { buildSessionContext, sessionContextSection } from "./prompt-context.ts";
import type { SessionContext } from "./prompt-context.ts";
import { redacts } from "./redaction.ts";
import { entryOf } from "./routing-store.ts";
import type { RoutingRow } from "./routing-store.ts";
import { platformFrom } from "./session-source.ts";
import type { SessionSource } from "./session-source.ts";

/** What the gateway knows now, apart from the message. */
export interface SectionSurroundings {
  isolation: IsolationRules;
  connectedPlatforms: readonly string[];
  /** `privacy.redact_pii`, read anew for each turn. */
  redactPii: boolean;
}

export const contextOf = (
  source: SessionSource,
  row: RoutingRow,
  surroundings: SectionSurroundings,
): SessionContext =>
  buildSessionContext(
    source,
    {
      connectedPlatforms: surroundings.connectedPlatforms.flatMap(
        (name) => platformFrom(name) ?? [],
      ),
      homeChannels: [],
      isolation: surroundings.isolation,
    },
    entryOf(row),
  );

/** The session context as it reads with and without redaction, and which of both is sent (lifecycle 9.2, 9.4). */
export function sessionSections(
  source: SessionSource,
  row: RoutingRow,
  surroundings: SectionSurroundings,
): { plain: string; redacted: string; redacts: boolean; sent: string } {
  const context = contextOf(source, row, surroundings);
  const render = (redact: boolean): string =>
    sessionContextSection(context, { redact, loadedTools: new Set() });
  const isRedacted = redacts(surroundings.redactPii, source.platform);
  const plain = render(false);
  const redacted = render(true);
  return { plain, redacted, redacts: isRedacted, sent: isRedacted ? redacted : plain };
}

/** The one that is sent. */
export function sentSection(
  source: SessionSource,
  row: RoutingRow,
  surroundings: SectionSurroundings,
): { section: string; redacted: boolean } {
  const redacted = redacts(surroundings.redactPii, source.platform);
  const context = contextOf(source, row, surroundings);
  return {
    section: sessionContextSection(context, { redact: redacted, loadedTools: new Set() }),
    redacted,
  };
}

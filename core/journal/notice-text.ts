const prefix = "session-state:";
const breaksOut = /["\p{Cc}\u2028\u2029]/u;

/**
 * The one line that tells a watcher to reconcile (state-awareness 6.1). It names the last version that the watcher
 * knew, so it stays the same, byte for byte, while it waits. A key goes in as it is; one that could break out of its
 * quotes or its line is escaped as JSON would.
 */
export function noticeText(targetKey: string, base: number): string {
  const key = breaksOut.test(targetKey) ? JSON.stringify(targetKey) : `"${targetKey}"`;
  return `Session ${key} changed (other actor). Reconcile before acting: session_status sessionKey ${key} changesSince ${base}.`;
}

/** Identity of a notice in its queue: queues fold letter case, so the target goes in as hex of its UTF-8 bytes. */
export const contextKeyOf = (targetKey: string): string =>
  `${prefix}${Buffer.from(targetKey, "utf8").toString("hex")}`;

/** The target that a context key names; null for every other key and for damaged ones. */
export function targetOfContext(contextKey: string): string | null {
  if (!contextKey.startsWith(prefix)) return null;
  const hex = contextKey.slice(prefix.length);
  if (hex === "" || hex.length % 2 !== 0 || !/^[0-9a-f]+$/.test(hex)) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(
      Buffer.from(hex, "hex"),
    );
  } catch {
    return null;
  }
}

const two = (value: number): string => String(value).padStart(2, "0");

/** Lines for a prompt, marked as data rather than instruction, in the gateway's own time zone (6.2). */
export function renderedLines(
  events: readonly { text: string; queuedAt: number }[],
  zoneOf: (at: Date) => string = zoneName,
): string {
  return events
    .map(({ text, queuedAt }) => {
      const at = new Date(queuedAt);
      const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
      const time = `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
      return `System: [${day} ${time} ${zoneOf(at)}] ${text.replaceAll(/\s*\n\s*/g, " ")}`;
    })
    .join("\n");
}

function zoneName(at: Date): string {
  const parts = new Intl.DateTimeFormat("en-GB", { timeZoneName: "short" }).formatToParts(at);
  return parts.find((part) => part.type === "timeZoneName")?.value ?? "UTC";
}

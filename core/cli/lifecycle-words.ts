import type { CallOutput } from "../contract/calls.ts";
import { localTime } from "../state/owner-record.ts";
import { harmless } from "./terminal.ts";
import { table } from "./words.ts";

const lines = (...parts: readonly (string | null)[]): string =>
  parts.flatMap((part) => (part === null ? [] : `${part}\n`)).join("");

export function explainText(found: CallOutput<"sessions.explain">): string {
  const { isolation, sharing, nextMessage } = found;
  const parts = found.segments.map(({ name, value, from }) => [name, value, from]);
  const flags = found.flags.map((flag) => [
    flag.name,
    flag.value,
    flag.sinceMs === null ? "" : localTime(flag.sinceMs),
    flag.by ?? "",
    `until ${flag.clearedBy}`,
  ]);
  return (
    lines(
      found.key,
      found.rule === null ? null : `Rule: ${found.rule.replaceAll("_", " ")}`,
      found.keyToday === null ? null : `Today's settings give this chat ${found.keyToday}`,
    ) +
    (parts.length === 0 ? "" : table(parts)) +
    lines(
      `Groups ${isolation.groupSessionsPerUser ? "are private for each person" : "are shared"}, threads ${isolation.threadSessionsPerUser ? "are private for each person" : "are shared"}${isolation.ofThisChat ? " (said of this chat)" : ""}`,
      `Shared: ${sharing.shared ? "yes" : "no"}${sharing.speakers.length === 0 ? "" : `; spoke: ${harmless(sharing.speakers.join(", "))}`}`,
      sharing.otherLanes.length === 0 ? null : `Also in ${sharing.otherLanes.join(", ")}`,
      `Next message: ${nextMessage.fate.replaceAll("_", " ")}${nextMessage.because === null ? "" : ` (${nextMessage.because})`}${nextMessage.waitsFor === null ? "" : `, waits: ${nextMessage.waitsFor}`}`,
      `Busy mode: ${found.busyMode.now}`,
    ) +
    (flags.length === 0 ? "" : table(flags)) +
    lines(...found.questions.map((asked) => `Asked: ${harmless(asked.question)} (${asked.id})`))
  );
}

/** The tree, children indented under their parents, the current session marked. */
export function lineageText({ nodes }: CallOutput<"sessions.lineage">): string {
  const depths = new Map<string, number>();
  return nodes
    .map((node) => {
      const depth = node.parentId === null ? 0 : (depths.get(node.parentId) ?? 0) + 1;
      depths.set(node.sessionId, depth);
      const pad = "  ".repeat(depth);
      const name = node.title === null ? "" : ` “${harmless(node.title)}”`;
      const ended = node.endReason === null ? "" : `, ended: ${node.endReason}`;
      const gone = node.rewoundCount > 0 ? `, ${node.rewoundCount} undone` : "";
      const summed = node.archivedCount > 0 ? `, ${node.archivedCount} summarised` : "";
      return lines(
        `${pad}${node.isCurrent ? "* " : "- "}${node.kind} ${node.sessionId}${name}: ${node.messageCount} messages${summed}${gone}${ended}`,
        ...node.edits.map(
          (edit) =>
            `${pad}    ${edit.kind} ${edit.edit} by ${harmless(edit.by)}, ${localTime(edit.atMs)}: ${edit.rows} messages${edit.restorable ? ", can be put back" : ""}`,
        ),
      );
    })
    .join("");
}

export function contextText(
  found: CallOutput<"sessions.context">,
  given: { redacted?: boolean; plain?: boolean },
): string {
  const text = given.redacted ? found.redacted : given.plain ? found.plain : found.sent;
  return `${harmless(text)}\n`;
}

export function resumableText({ sessions }: CallOutput<"sessions.resumable">): string {
  if (sessions.length === 0) return "No sessions.\n";
  return table([
    ["SESSION", "MESSAGES", "LAST", "TITLE"],
    ...sessions.map((past) => [
      past.sessionId,
      String(past.messageCount),
      localTime(past.lastAtMs),
      `${past.title ?? ""}${past.isCurrent ? " (here)" : ""}`,
    ]),
  ]);
}

export function previewText(seen: CallOutput<"sessions.compressPreview">): string {
  if (seen.state !== "compact") return notCompressed(seen.state, seen.messages);
  return lines(
    `${seen.archived} messages (${seen.characters} characters) would become a summary, ${seen.kept} would stay.`,
    `From: ${harmless(seen.firstText)}`,
    `To: ${harmless(seen.lastText)}`,
  );
}

export const compressedText = (done: CallOutput<"sessions.compress">): string =>
  done.state === "compressed"
    ? `${done.archived} messages became a summary, ${done.kept} stayed.\n${harmless(done.summary ?? "")}\n`
    : notCompressed(done.state, done.kept);

const notCompressed = (why: "too_short" | "nothing_older", messages: number): string =>
  why === "too_short"
    ? `Nothing to compress: ${messages} messages.\n`
    : "Nothing to compress: all of it would be kept.\n";

export function backgroundText({ runs }: CallOutput<"background.list">): string {
  if (runs.length === 0) return "No tasks.\n";
  return table([
    ["ID", "STATE", "RESULT", "STARTED", "TASK"],
    ...runs.map((run) => [run.id, run.state, run.delivery, localTime(run.startedAtMs), run.task]),
  ]);
}

export function approvalsText({ approvals }: CallOutput<"approvals.list">): string {
  if (approvals.length === 0) return "No questions.\n";
  return table([
    ["ID", "STATE", "ASKED", "QUESTION"],
    ...approvals.map((one) => [one.id, one.state, localTime(one.askedAtMs), one.question]),
  ]);
}

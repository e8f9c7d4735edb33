import type { CallOutput } from "../contract/calls.ts";
import type {
  AgentRow,
  ChannelRow,
  GatewayStatus,
  LogLine,
  MessageRow,
} from "../contract/domain.ts";
import { localTime } from "../state/owner-record.ts";
import { harmless } from "./terminal.ts";

/** Columns set side by side; the last one is not padded. Cells are cut to 60 characters, the last not. */
export function table(rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) =>
    row.map((cell, at) => {
      const line = harmless(cell).replace(/\s+/g, " ");
      return at < row.length - 1 && line.length > 60 ? `${line.slice(0, 59)}…` : line;
    }),
  );
  const widths = (cells[0] ?? []).map((_cell, at) =>
    Math.max(...cells.map((row) => row[at]?.length ?? 0)),
  );
  return cells
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join("");
}

/** "12 s", "5 min", "3 h", "4 d": how long ago, roughly. */
export function ago(atMs: number, nowMs: number): string {
  const seconds = Math.max(0, Math.round((nowMs - atMs) / 1000));
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800
    ? `${Math.round(seconds / 3600)} h`
    : `${Math.round(seconds / 86_400)} d`;
}

export function sessionsText(
  { sessions, total }: CallOutput<"sessions.list">,
  nowMs: number,
): string {
  if (sessions.length === 0) return "No sessions.\n";
  const rows = sessions.map((row) => [
    row.state,
    ago(row.updatedAtMs, nowMs),
    String(row.queueDepth),
    String(row.messageCount),
    row.title,
    row.key,
  ]);
  const more =
    total > sessions.length ? `${sessions.length} of ${total}. --limit shows more.\n` : "";
  return table([["STATE", "AGO", "WAITING", "MESSAGES", "TITLE", "KEY"], ...rows]) + more;
}

/** A transcript as a person reads it: time, who, and the text set off below. */
export function historyText(messages: readonly MessageRow[]): string {
  return messages
    .map((row) => {
      const at = localTime(row.atMs);
      if (row.role === "boundary") return `---- ${at}  ${harmless(row.text)}\n`;
      const who = row.from ?? row.role;
      const cut = row.cut === null ? "" : ` (${row.cut})`;
      const owed =
        row.delivery === null || row.delivery === "delivered" ? "" : ` [${row.delivery}]`;
      const tools = row.tools.map((tool) => `    (${tool.name}: ${tool.outcome})\n`).join("");
      const text = harmless(row.text)
        .split("\n")
        .map((line) => `    ${line}`.trimEnd())
        .join("\n");
      return `${at}  ${harmless(who)}${cut}${owed}\n${tools}${text}\n`;
    })
    .join("");
}

export function statusText(status: GatewayStatus, url: string): string {
  const { counts, turns } = status;
  const rows: [string, string][] = [
    ["State", `${status.state}, process ${status.pid}, version ${status.version}`],
    ["Since", localTime(status.startedAtMs)],
    ["Data", status.dataDir],
    ["Address", url],
    ["Sessions", `${counts.sessions} (${counts.running} running, ${counts.suspended} suspended)`],
    ["Waiting", `${counts.queued} queued, ${counts.needsYou} need you`],
    ["Turns", `${turns.today} today, ${turns.failedToday} failed`],
    ["Deliveries", `${counts.unknownDeliveries} unknown`],
    ["Before", status.previousExit.replace("_", " ")],
  ];
  const problems = status.problems.map((problem) => problemText(problem));
  return table(rows) + problems.join("");
}

export const problemText = (problem: GatewayStatus["problems"][number]): string =>
  harmless(
    `! ${problem.message}${problem.where === null ? "" : ` (${problem.where})`}${problem.remedy === null ? "" : ` ${problem.remedy}`}\n`,
  );

export const logText = (line: LogLine): string =>
  harmless(
    `${localTime(line.atMs)}  ${line.level.padEnd(5)}  ${line.area}  ${line.event}  ${line.text}`,
  )
    .replaceAll("\n", " ")
    .trimEnd() + "\n";

export const agentsText = (agents: readonly AgentRow[]): string =>
  table([
    ["", "ID", "RUNTIME", "MODEL", "PROBE", "ADDRESS"],
    ...agents.map((row) => [
      row.isDefault ? "*" : "",
      row.id,
      row.runtime,
      row.model ?? "",
      row.probe.message ?? row.probe.state,
      row.baseUrl ?? "",
    ]),
  ]);

export const channelsText = (channels: readonly ChannelRow[], nowMs: number): string =>
  table([
    ["ID", "STATE", "SINCE", "IN", "OUT", "SESSIONS", "ADDRESS", "TROUBLE"],
    ...channels.map((row) => [
      row.id,
      row.state,
      ago(row.sinceMs, nowMs),
      String(row.messagesIn),
      String(row.messagesOut),
      String(row.sessions),
      row.address ?? "",
      row.lastError?.message ?? "",
    ]),
  ]);

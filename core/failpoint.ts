/**
 * Named places at which the crash test ends the process as a power cut would (`npm run test:crash`): each step between
 * acceptance and delivery, both sides of each commit, the steps of a start and of a stop, the acts of a person.
 * `…uncommitted` is inside the transaction, with everything written and nothing kept.
 */
export const failpointNames = [
  "accept.before",
  "accept.merged_uncommitted",
  "accept.uncommitted",
  "accept.stored",
  "command.before",
  "command.done",
  "turn.start_uncommitted",
  "turn.resume_counted",
  "turn.started",
  "turn.first_text",
  "turn.ran",
  "turn.finish_uncommitted",
  "turn.finished",
  "delivery.before_attempt",
  "delivery.attempt_uncommitted",
  "delivery.attempt_recorded",
  "delivery.sent",
  "delivery.part_uncommitted",
  "delivery.part_confirmed",
  "delivery.outcome_uncommitted",
  "delivery.outcome_recorded",
  "db.before_commit",
  "db.committed",
  "boot.receipt_taken",
  "boot.recorded",
  "boot.before_recovery",
  "boot.lanes_decided",
  "boot.debts_decided",
  "boot.recovery_uncommitted",
  "boot.recovered",
  "boot.channels_up",
  "boot.lanes_open",
  "boot.report_saved",
  "boot.ready",
  "stop.begun",
  "stop.drained",
  "stop.cut_counted",
  "stop.parked",
  "stop.sends_ended",
  "stop.channels_stopped",
  "stop.end_recorded",
  "stop.db_closed",
  "stop.receipt_written",
  "act.stop_uncommitted",
  "act.stop_recorded",
  "act.reset_uncommitted",
  "act.reset_recorded",
  "act.queue_uncommitted",
  "act.queue_changed",
] as const;
export type FailpointName = (typeof failpointNames)[number];

const [armed = "", nth] = (process.env["SIGNALBOX_FAILPOINT"] ?? "").split("@");
let hits = 0;

/**
 * Dies here by SIGKILL when this place is armed (`SIGNALBOX_FAILPOINT=name@nth`) and has been passed often enough;
 * otherwise nothing but one comparison.
 */
export function failpoint(name: FailpointName): void {
  if (armed === "" || armed !== name) return;
  hits += 1;
  if (hits >= Number(nth ?? 1)) process.kill(process.pid, "SIGKILL");
}

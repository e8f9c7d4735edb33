/**
 * Named places at which the crash test ends the process as a power cut would (`npm run test:crash`). Armed by
 * `SIGNALBOX_FAILPOINT=name[@nth]`; otherwise nothing but one comparison.
 */
const [armed, nth] = (process.env["SIGNALBOX_FAILPOINT"] ?? "").split("@");
let hits = 0;

/** Dies here by SIGKILL when this place is armed and has been passed often enough. */
export function failpoint(name: string): void {
  if (armed === "" || armed !== name) return;
  hits += 1;
  if (hits >= Number(nth ?? 1)) process.kill(process.pid, "SIGKILL");
}

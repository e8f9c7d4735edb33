/** Lets others run when this has had the thread for a while. */
export type Breather = () => Promise<void>;

/** What an import may take of the gateway's thread at once, in ms. */
const atOnceMs = 8;
/** The clock itself is looked at only every so often. */
const callsBetween = 16;

/** Called in the inner loops of long work: most calls cost nothing, some wait for a turn of the event loop. */
export function breather(): Breather {
  let sinceMs = performance.now();
  let calls = 0;
  return async () => {
    calls += 1;
    if (calls % callsBetween !== 0 || performance.now() - sinceMs < atOnceMs) return;
    await new Promise<void>((resume) => setImmediate(resume));
    sinceMs = performance.now();
  };
}

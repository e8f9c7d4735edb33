import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

type Collect = (options: { type: "major"; execution: "async" }) => Promise<void>;

let collect: Collect | null | undefined;

/**
 * Lets V8 give back what was dropped. Asynchronous, so that the thread that serves the window is not held; the nearest
 * equivalent of a heap trim that Node has (lifecycle 16.4). False where the engine does not offer it.
 */
export async function collectGarbage(): Promise<boolean> {
  if (collect === undefined) {
    try {
      setFlagsFromString("--expose-gc");
      collect = runInNewContext("gc") as Collect;
    } catch {
      collect = null;
    }
  }
  if (collect === null) return false;
  await collect({ type: "major", execution: "async" });
  return true;
}

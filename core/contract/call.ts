import type { z } from "zod";

/** How much a person is asked before a call runs (ux.md 7): at once, at once with undo, a dialog. */
export type Confirmation = "none" | "undo" | "dialog";

export interface Declared<In extends z.ZodType, Out extends z.ZodType> {
  in: In;
  out: Out;
  changes: boolean;
  confirm: Confirmation;
  about: string;
}

/** Declares one call; unless it says otherwise it changes nothing and asks nobody. */
export function call<In extends z.ZodType, Out extends z.ZodType>(
  declared: Pick<Declared<In, Out>, "in" | "out" | "about"> & Partial<Declared<In, Out>>,
): Declared<In, Out> {
  return { changes: false, confirm: "none", ...declared };
}

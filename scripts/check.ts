/** `npm run check`: what a person runs before handing something in. Stays under a minute. */
import { runChecks, runVitest, sum } from "./stage.ts";

const { failed } = sum([await runChecks(), runVitest("unit")]);
process.exitCode = failed > 0 ? 1 : 0;

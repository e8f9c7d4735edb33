import { runCommand } from "./cli/program.ts";
import { processTerminal } from "./cli/terminal.ts";

// A reader that closed the pipe (`signalbox logs | head`) is no error.
process.stdout.on("error", () => process.exit(0));

// Ends here, whatever timers or sockets are still about: the work is done and told.
process.exit(await runCommand(process.argv.slice(2), processTerminal));

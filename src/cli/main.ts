/**
 * The whole command line. The only place that catches everything, and sets the exit code. Each command's module is
 * loaded when it is asked for.
 */

import { shortageOf } from "../core/errno-advice.ts";
import { AgentreeError } from "../core/errors.ts";
import { EXIT } from "../core/exit-code.ts";
import { complain } from "../terminal/print.ts";
import { oneLine } from "../text/terminal-safe.ts";
import { runCommandLine } from "./command-line.ts";

runCommandLine(process.argv.slice(2)).then(
	(exitCode) => process.exit(exitCode),
	(error: unknown) => {
		if (error instanceof AgentreeError) {
			complain(`agent: ${oneLine(error.message)}`);
			process.exit(error.exitCode);
		}
		const shortage = shortageOf(error as NodeJS.ErrnoException);
		if (shortage !== undefined) {
			complain(`agent: ${shortage}`);
			process.exit(EXIT.outOfReach);
		}
		complain(`agent: an error in agentree: ${error instanceof Error ? error.stack : String(error)}`);
		process.exit(70);
	},
);

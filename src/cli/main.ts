/**
 * The whole command line. The only place that catches everything, and sets the exit code. Each command's module is
 * loaded when it is asked for.
 */

import { AgentreeError } from "../core/errors.ts";
import { secretsIn } from "../models/secrets-in.ts";
import { complain } from "../terminal/print.ts";
import { keepSecrets } from "../text/redact.ts";
import { oneLine } from "../text/terminal-safe.ts";
import { runCommandLine } from "./command-line.ts";
import { bugs } from "./io/bugs.ts";

bugs.listen();
keepSecrets(secretsIn(process.env));

runCommandLine(process.argv.slice(2)).then(
	(exitCode) => process.exit(exitCode),
	(error: unknown) => {
		if (!(error instanceof AgentreeError)) return bugs.end(error);
		complain(`agent: ${oneLine(error.message)}`);
		process.exit(error.exitCode);
	},
);

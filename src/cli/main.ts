/**
 * The whole command line. The only place that catches everything, and sets the exit code. Each command's module is
 * loaded when it is asked for.
 */

import { isatty } from "node:tty";
import { AgentreeError } from "../core/errors.ts";
import { secretsIn } from "../models/secrets-in.ts";
import { complain, foldComplaints } from "../terminal/print.ts";
import { terminalSize } from "../terminal/terminal-size.ts";
import { keepSecrets } from "../text/redact.ts";
import { oneLine } from "../text/terminal-safe.ts";
import { wrapWords } from "../text/wrap-words.ts";
import { runCommandLine } from "./command-line.ts";
import { bugs } from "./io/bugs.ts";

bugs.listen();
keepSecrets(secretsIn(process.env));
if (isatty(2)) foldComplaints((text) => wrapWords(text, terminalSize(process.stderr).columns));

runCommandLine(process.argv.slice(2)).then(
	(exitCode) => process.exit(exitCode),
	(error: unknown) => {
		if (!(error instanceof AgentreeError)) return bugs.end(error);
		complain(`agent: ${oneLine(error.message)}`);
		process.exit(error.exitCode);
	},
);

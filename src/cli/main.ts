/**
 * The whole command line. The only place that catches everything, and sets the exit code. Each command's module is
 * loaded when it is asked for.
 */

import { isatty } from "node:tty";
import { AgentreeError } from "../core/errors.ts";
import { secretsIn } from "../models/secrets-in.ts";
import { complain, foldComplaints, print } from "../terminal/print.ts";
import { keepSecrets } from "../text/safe/keep-secrets.ts";
import { redact } from "../text/safe/redact.ts";
import { oneLine } from "../text/safe/terminal-safe.ts";
import { wrapWords } from "../text/width/wrap.ts";
import { terminalSize } from "../tui/terminal/modes.ts";
import { runCommandLine } from "./command-line.ts";
import { bugs } from "./io/process-io.ts";
import { unstartedResult } from "./result/result-line.ts";

const args = process.argv.slice(2);

/** Whoever reads JSON has it also of what did not start. */
async function tellProgram(reason: string, exitCode: number): Promise<void> {
	await print(1, unstartedResult(args, { reason: oneLine(redact(reason)), exitCode }));
}

const tellBug = bugs.onBug;
bugs.onBug = async (bug) => {
	await tellBug(bug);
	await tellProgram(bug.reason, bug.exitCode);
};
bugs.listen();
keepSecrets(secretsIn(process.env));
if (isatty(2)) foldComplaints((text) => wrapWords(text, terminalSize(process.stderr).columns));

runCommandLine(args).then(
	(exitCode) => process.exit(exitCode),
	async (error: unknown) => {
		if (!(error instanceof AgentreeError)) return bugs.end(error);
		complain(`agent: ${oneLine(error.message)}`);
		await tellProgram(error.message, error.exitCode);
		process.exit(error.exitCode);
	},
);

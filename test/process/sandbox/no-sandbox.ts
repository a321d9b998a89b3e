import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { findProgram } from "../../../src/processes/child-process.ts";
import { probeSandbox } from "../../../src/sandbox/probe.ts";

const probed = probeSandbox(process.env);

/** Undefined when commands can be put into a sandbox here; else why not, for the title of a test that is skipped. */
export const NO_SANDBOX: string | undefined = probed.is === "none" ? probed.reason : undefined;

/** Behind a test's title. */
export const SKIPPED = NO_SANDBOX === undefined ? "" : ` (skipped: ${NO_SANDBOX})`;

const PROGRAMS =
	"bash sh cat git env sleep mkfifo true tmux setpriv setsid mkdir rm ls seq tail grep sed timeout touch id prlimit".split(
		" ",
	);

/** A PATH below that home which has programs, and no bwrap among them. */
export function pathWithoutBubblewrap(home: string): string {
	const directory = join(home, "bin");
	mkdirSync(directory);
	for (const name of PROGRAMS) {
		const program = findProgram(name, process.env.PATH);
		if (program !== undefined) symlinkSync(program, join(directory, name));
	}
	symlinkSync(process.execPath, join(directory, "node"));
	return directory;
}

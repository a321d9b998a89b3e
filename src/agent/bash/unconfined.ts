/** The sandbox that confines nothing: `bash -c` with the rights of the agent, in a session of its own. */
import type { Sandbox } from "./sandbox.ts";
import { startShell } from "./start-shell.ts";

export const unconfined: Sandbox = {
	start: (spec) => startShell(spec, { program: "bash", argumentsOf: (text) => argumentsOf(text, spec.softFiles) }),
};

/**
 * A process sets its own limits, so a first bash sets this one. `exec -a`: messages begin with `bash:`, as ever; `$0`
 * is the text.
 */
function argumentsOf(text: string, softFiles: number | undefined): string[] {
	if (softFiles === undefined) return ["-c", "--", text];
	return ["-c", "--", `ulimit -Sn ${softFiles} 2>/dev/null; exec -a bash "$BASH" -c -- "$0"`, text];
}

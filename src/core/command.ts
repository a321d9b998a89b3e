/** How one command (a bash tool call) ended. The first cause wins. */
export type CommandEnd =
	| { readonly by: "exit"; readonly code: number }
	/** A signal that we did not send, e.g. `SIGKILL`. */
	| { readonly by: "signal"; readonly signal: string }
	| { readonly by: "timeout"; readonly afterMs: number }
	| { readonly by: "stopped"; readonly reason: string }
	/** The shell could not be started, or the call could not be run; `reason` is told to the model. */
	| { readonly by: "not_started"; readonly reason: string };

/** `exit status 3`, `killed by SIGKILL`, `timed out after 120 s`. */
export function describeCommandEnd(end: CommandEnd): string {
	switch (end.by) {
		case "exit":
			return `exit status ${end.code}`;
		case "signal":
			return `killed by ${end.signal}`;
		case "timeout":
			return `timed out after ${end.afterMs / 1000} s`;
		case "stopped":
			return `stopped: ${end.reason}`;
		case "not_started":
			return `not started: ${end.reason}`;
	}
}

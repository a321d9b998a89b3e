/** A command (one bash tool call): how it starts, as agent, wire, event log and dashboard have it, and how it ends. */

export interface CommandStart {
	/** Its number among those of its agent. */
	readonly command: number;
	/** The id of the tool call. */
	readonly toolUseId?: string;
	readonly text: string;
	/** Of its shell; it is the number of its session and its process group, too. */
	readonly pid: number;
	/** Of its shell: with the pid it names a process for ever. */
	readonly startTime: string;
	/** Path of the raw output file, below the agent's directory: `out/0003.log`. */
	readonly log: string;
}

/** The first cause wins. */
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

/** A command is one bash tool call of an agent: its start and its end. */
import type { CommandEnd } from "./schemas/command.ts";

export type { CommandEnd, CommandStart } from "./schemas/command.ts";

/** Where the raw output of an agent's command is kept, below the agent's directory: `out/0003.log`. */
export function commandLog(command: number): string {
	return `out/${String(command).padStart(4, "0")}.log`;
}

/** Where the raw output is kept of what ran outside of its sandbox, by its number in the run: `out/outside-0003.log`. */
export function outsideLog(outside: number): string {
	return `out/outside-${String(outside).padStart(4, "0")}.log`;
}

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

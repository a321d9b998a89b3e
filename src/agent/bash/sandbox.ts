/** Where the process of a command is started: the one place that decides what a command can see and do. */
import type { ChildProcess } from "node:child_process";

export interface Sandbox {
	/** Never rejects: that a command cannot be started is an outcome. */
	start(command: ShellCommand): Promise<ShellOutcome>;
}

export interface ShellCommand {
	readonly command: string;
	readonly cwd: string;
	readonly env: Record<string, string>;
	/** An open descriptor, its stdout and stderr. The caller closes it. */
	readonly output: number;
	/** The soft limit of open files; absent: as ours. */
	readonly softFiles?: number;
	/** Where a command goes that is too long for an argument. */
	readonly scriptPath: string;
}

export type ShellExit =
	| { readonly by: "exit"; readonly code: number }
	| { readonly by: "signal"; readonly signal: string };

/** In a session of its own, whose number is its pid. */
export interface StartedShell {
	readonly is: "started";
	readonly child: ChildProcess;
	readonly pid: number;
	readonly exit: Promise<ShellExit>;
}

/** `reason` is told to the model. */
export type ShellOutcome = StartedShell | { readonly is: "failed"; readonly reason: string };

/** Starts the process of a command: the one place that decides what a command can see and do. */
import type { ChildProcess } from "node:child_process";

export interface Sandbox {
	/** Never rejects: a command that cannot be started is an outcome. */
	start(command: ShellCommand): Promise<ShellOutcome>;
	/** What tells that a command, or a part of it, failed because of the sandbox, in a line for the model. */
	explain?(spec: Pick<ShellCommand, "command" | "cwd" | "env">, printed: Printed): Promise<string | undefined>;
}

export interface Printed {
	readonly text: string;
	readonly hasFailed: boolean;
}

export interface ShellCommand {
	readonly command: string;
	readonly cwd: string;
	readonly env: Record<string, string>;
	/** An open descriptor for both stdout and stderr. The caller closes it. */
	readonly output: number;
	/** The soft limit of open files; absent: that of the agent. */
	readonly softFiles?: number;
	/** The file for a command that is too long for an argument. What a command before it has put there is replaced. */
	readonly script: { readonly directory: string; readonly name: string };
}

export type ShellExit =
	| { readonly by: "exit"; readonly code: number }
	| { readonly by: "signal"; readonly signal: string }
	/** Its sandbox could not be made. */
	| { readonly by: "not_started"; readonly reason: string };

/** A shell in a session of its own: its pid is also the number of the session and of the process group. */
export interface StartedShell {
	readonly is: "started";
	readonly child: ChildProcess;
	readonly pid: number;
	readonly exit: Promise<ShellExit>;
	/** Resolves when the sandbox is made and the command begins; absent: it has begun. */
	readonly began?: Promise<void>;
	/** The command that ends what it leaves running, where signals of later ones do not reach that. */
	readonly endsLeft?: string;
	/** Hosts that it was refused since it was last asked: `example.org`. */
	readonly takeRefusedHosts?: () => readonly string[];
}

/** `reason` is told to the model. */
export type ShellOutcome = StartedShell | { readonly is: "failed"; readonly reason: string };

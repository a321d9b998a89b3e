/** How the process of a command is started. `Sandbox` is the one place that decides what a command can see and do. */
import type { ChildProcess } from "node:child_process";
import { closeSync, openSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { shortageOf } from "../../core/machine/errno-advice.ts";
import { childProcess, programToStart, startFailureOf } from "../../processes/child-process.ts";
import { createWithin } from "../../processes/open-within.ts";

export interface Sandbox {
	/** What its first command needs, ahead of that: while the model thinks. */
	prepare?(): void;
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
type ShellOutcome = StartedShell | { readonly is: "failed"; readonly reason: string };

const MAX_ARGUMENT_BYTES = 128 * 1024 - 1; // Linux: MAX_ARG_STRLEN, the final NUL included

interface ShellStart {
	readonly program: string;
	/** The arguments that run a text in bash. */
	readonly argumentsOf: (text: string) => string[];
	/** How the shell ended, where its process does not tell; with a pipe for it as its fourth file, and one as its stderr. */
	readonly exitOf?: (child: ChildProcess) => Promise<ShellExit>;
	/** A file that the program reads as its fifth file, behind that pipe. */
	readonly readsFile?: string;
}

/** The reason of a failed start is in words for the model. */
export async function startShell(
	spec: ShellCommand,
	{ program, argumentsOf, exitOf = exitOfProcess, readsFile }: ShellStart,
): Promise<ShellOutcome> {
	const isLong = Buffer.byteLength(spec.command) > MAX_ARGUMENT_BYTES;
	const scriptPath = join(spec.script.directory, spec.script.name);
	let file: number | undefined;
	try {
		if (isLong) writeScript(spec);
		const text = isLong ? evalOf(scriptPath) : spec.command;
		file = readsFile === undefined ? undefined : openSync(readsFile, "r");
		const path = program.includes("/") ? program : programToStart(program, spec.env.PATH);
		const child = childProcess().spawn(path, argumentsOf(text), {
			argv0: program, // begins what bash says
			cwd: spec.cwd,
			env: spec.env,
			detached: true, // setsid: no controlling terminal, and one session to end
			stdio: [
				"ignore",
				spec.output,
				...(exitOf === exitOfProcess ? [spec.output] : (["pipe", "pipe"] as const)),
				...(file === undefined ? [] : [file]),
			],
		});
		if (child.pid === undefined) {
			const error = await errorOf(child);
			if (isLong) rmSync(scriptPath, { force: true });
			return { is: "failed", reason: whyNotStarted(program, spec, error) };
		}
		const exit = exitOf(child); // one that could not be started has no pipes
		if (isLong) void exit.then(() => rmSync(scriptPath, { force: true }));
		return { is: "started", child, pid: child.pid, exit };
	} catch (error) {
		return { is: "failed", reason: whyNotStarted(program, spec, error as NodeJS.ErrnoException) };
	} finally {
		if (file !== undefined) closeSync(file);
	}
}

function writeScript({ script: { directory, name }, command }: ShellCommand): void {
	const file = createWithin(directory, name);
	try {
		writeFileSync(file, command);
	} finally {
		closeSync(file);
	}
}

/** Runs a script with `$0`, `$#` and the prefix of messages as `bash -c` has them, unlike `bash FILE`. */
function evalOf(path: string): string {
	return `eval -- "$(<'${path.replaceAll("'", "'\\''")}')"`;
}

/** Resolves at the exit of the shell, not at the end of its output, which other processes may hold. */
export function exitOfProcess(child: ChildProcess): Promise<ShellExit> {
	return new Promise((resolve) =>
		child.once("exit", (code, signal) =>
			resolve(signal === null ? { by: "exit", code: code ?? 0 } : { by: "signal", signal }),
		),
	);
}

function errorOf(child: ChildProcess): Promise<NodeJS.ErrnoException> {
	return new Promise((resolve) => child.once("error", resolve));
}

function whyNotStarted(program: string, { cwd, env }: ShellCommand, error: NodeJS.ErrnoException): string {
	const { code, message } = error;
	switch (startFailureOf(error, cwd)) {
		case "no_program":
			return `${program} was not found in PATH=${env.PATH ?? ""} (${code})`;
		case "no_directory":
			return `the working directory ${cwd} no longer exists, and every command starts in it; say so in your answer`;
		case "not_permitted":
			return `${program} cannot be run, or the working directory ${cwd} cannot be entered (${code})`;
		case "other":
			if (code === "E2BIG") return "the environment is too large for a new process (E2BIG)";
			return shortageOf(error) ?? message;
	}
}

/** The sandbox that confines nothing: `bash -c` with the rights of the agent, in a session of its own. */
export const unconfined: Sandbox = {
	start: (spec) => startShell(spec, { program: "bash", argumentsOf: (text) => argumentsOf(text, spec.softFiles) }),
};

/**
 * A process sets its own limits, so a first bash sets this one. `exec -a`: messages begin with `bash:`; `$0`
 * is the text.
 */
function argumentsOf(text: string, softFiles: number | undefined): string[] {
	if (softFiles === undefined) return ["-c", "--", text];
	return ["-c", "--", `ulimit -Sn ${softFiles} 2>/dev/null; exec -a bash "$BASH" -c -- "$0"`, text];
}

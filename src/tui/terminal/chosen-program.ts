/** A program that a person has chosen by a variable, such as PAGER, and which has the terminal while it lives. */
import { accessSync, constants } from "node:fs";
import { basename, delimiter, join } from "node:path";
import { absolutePath } from "../../core/machine/absolute-path.ts";

export type Env = Readonly<Record<string, string | undefined>>;

/** Without what means something to a shell. */
const WORDS = /^[\w./+:,@%=\s-]*$/;

/** By which a person leaves a program, or its starter ends it. */
const LEFT_BY: ReadonlySet<NodeJS.Signals> = new Set(["SIGINT", "SIGQUIT", "SIGTERM", "SIGHUP", "SIGPIPE"]);

export interface StartedWith {
	readonly env: Env;
	/** What stands behind the command, each as one word. */
	readonly words?: readonly string[];
	/** A text for its standard input, as fast as it takes it; else it has ours. */
	readonly input?: AsyncIterable<string> | Iterable<string>;
	/** Ends it. */
	readonly signal?: AbortSignal | undefined;
}

/**
 * Resolves to undefined for a program that a person has left: its status is 0, or the signal of Ctrl-C. Else to what went wrong. A shell
 * reads the command, since people put options and quotes into such variables.
 */
export async function runProgram(
	command: string,
	{ env, words = [], input, signal }: StartedWith,
): Promise<string | undefined> {
	const { execa } = await import("execa");
	const whole = words.length === 0 ? command : `${command} "$@"`;
	const ended = await execa("/bin/sh", ["-c", inPlaceOfShell(command, env) ? `exec ${whole}` : whole, "sh", ...words], {
		...{ env: { ...env, PATH: absolutePath(env.PATH) }, extendEnv: false, reject: false, forceKillAfterDelay: false },
		stdio: [input === undefined ? "inherit" : pieces(input), "inherit", "inherit"],
		...(signal && { cancelSignal: signal }),
	});
	if (ended.exitCode === 127) return "no such program";
	if (ended.signal !== undefined) return LEFT_BY.has(ended.signal) ? undefined : ended.signal;
	if (ended.exitCode === undefined) return signal?.aborted ? undefined : ended.originalMessage;
	return ended.exitCode === 0 || ended.exitCode === 130 ? undefined : `exit status ${ended.exitCode}`;
}

async function* pieces(text: AsyncIterable<string> | Iterable<string>): AsyncGenerator<string> {
	yield* text;
}

/** A signal for the program goes to the process that was started: where that can be, it is the program itself. */
function inPlaceOfShell(command: string, { PATH = "" }: Env): boolean {
	return isProgram(command.split(/\s/)[0] ?? "", PATH) && WORDS.test(command);
}

export function programOf(command: string): string {
	return basename(command.split(/\s/)[0] ?? "");
}

export function isProgram(name: string, path: string): boolean {
	const directories = name.includes("/") ? ["/"] : absolutePath(path).split(delimiter);
	return directories.some((directory) => {
		try {
			accessSync(join(directory, name), constants.X_OK);
			return true;
		} catch {
			return false;
		}
	});
}

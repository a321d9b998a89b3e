/** A program that a person has chosen by a variable, such as PAGER, and which has the terminal while it lives. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { accessSync, constants } from "node:fs";
import { basename, delimiter, join } from "node:path";
import { absolutePath } from "../core/machine/absolute-path.ts";

export type Env = Readonly<Record<string, string | undefined>>;

/** Without what means something to a shell. */
const WORDS = /^[\w./+:,@%=\s-]*$/;

export interface StartedWith {
	readonly env: Env;
	/** What stands behind the command, each as one word. */
	readonly words?: readonly string[];
	readonly stdin: "pipe" | "inherit";
}

/** A shell reads the command, since people put options and quotes into such variables. */
export function startProgram(command: string, { env, words = [], stdin }: StartedWith): ChildProcess {
	const whole = words.length === 0 ? command : `${command} "$@"`;
	return spawn("/bin/sh", ["-c", inPlaceOfShell(command, env) ? `exec ${whole}` : whole, "sh", ...words], {
		...{ stdio: [stdin, "inherit", "inherit"], env: { ...env, PATH: absolutePath(env.PATH) } },
	});
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

/** By which a person leaves a program, or its starter ends it. */
const LEFT_BY: ReadonlySet<NodeJS.Signals> = new Set(["SIGINT", "SIGQUIT", "SIGTERM", "SIGHUP", "SIGPIPE"]);

/** Undefined for a program that a person has left: that is 0, or the signal of Ctrl-C. Else what went wrong. */
export async function endOfProgram(child: ChildProcess): Promise<string | undefined> {
	try {
		const [code, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
		if (code === 127) return "there is no such program";
		if (signal !== null) return LEFT_BY.has(signal) ? undefined : signal;
		return code === 0 || code === 130 ? undefined : `exit status ${code}`;
	} catch (error) {
		return (error as Error).message;
	}
}

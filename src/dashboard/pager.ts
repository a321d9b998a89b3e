/**
 * Shows a text in the person's pager, which has the terminal meanwhile. The text comes to its standard input, in pieces and as
 * fast as it takes them, so a text of any size needs no file.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { accessSync, constants } from "node:fs";
import { basename, delimiter, join } from "node:path";

type Env = Readonly<Record<string, string | undefined>>;

const DEFAULTS = ["less -R", "more"];
/** Would less end at once with a text that fits on the screen, the screen of the dashboard would hide it. */
const STAY = "-+F";
/** Without what means something to a shell. */
const WORDS = /^[\w./+:,@%=\s-]*$/;

export class Pager {
	private readonly env: Env;
	private child: ChildProcess | undefined;

	constructor(env: Env) {
		this.env = env;
	}

	/** Resolves when the person has left the pager; with what went wrong, if something did. `text` is safe for a terminal. */
	async show(text: AsyncIterable<string> | Iterable<string>): Promise<string | undefined> {
		const command = pagerCommand(this.env);
		if (command === undefined) return "no pager was found: set PAGER to one";
		const child = spawn("/bin/sh", ["-c", this.inPlaceOfShell(command)], {
			stdio: ["pipe", "inherit", "inherit"],
			env: { ...this.env },
		});
		this.child = child;
		const ended = endOf(child);
		try {
			const [end] = await Promise.all([ended, feed(child, text)]);
			return end === undefined ? undefined : `the pager failed: ${command}: ${end}`;
		} finally {
			this.child = undefined;
		}
	}

	/** Ends the pager, if there is one. */
	close(): void {
		this.child?.kill();
	}

	/** The signal that ends the pager goes to the process that was started: where that can be, it is the pager itself. */
	private inPlaceOfShell(command: string): string {
		const isProgramThere = isProgram(command.split(/\s/)[0] ?? "", this.env.PATH ?? "");
		return isProgramThere && WORDS.test(command) ? `exec ${command}` : command;
	}
}

/** `$PAGER`, unless that shows nothing to a person here; else the first of the usual ones that is there. */
export function pagerCommand({ PAGER = "", PATH = "" }: Env, isThere = isProgram): string | undefined {
	const wanted = PAGER.trim();
	const chosen = wanted === "" || programOf(wanted) === "cat" ? undefined : wanted;
	const command = chosen ?? DEFAULTS.find((one) => isThere(programOf(one), PATH));
	return command !== undefined && programOf(command) === "less" ? `${command} ${STAY}` : command;
}

function programOf(command: string): string {
	return basename(command.split(/\s/)[0] ?? "");
}

function isProgram(name: string, path: string): boolean {
	const directories = name.includes("/") ? ["/"] : path.split(delimiter);
	return directories.some((directory) => {
		try {
			accessSync(join(directory, name), constants.X_OK);
			return directory !== "";
		} catch {
			return false;
		}
	});
}

/** By which a person leaves a pager, or the dashboard ends it. */
const LEFT_BY: ReadonlySet<NodeJS.Signals> = new Set(["SIGINT", "SIGQUIT", "SIGTERM", "SIGHUP", "SIGPIPE"]);

/** Undefined for a pager that a person has left: that is 0, or the signal of Ctrl-C. */
async function endOf(child: ChildProcess): Promise<string | undefined> {
	try {
		const [code, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
		if (code === 127) return "there is no such program";
		if (signal !== null) return LEFT_BY.has(signal) ? undefined : signal;
		return code === 0 || code === 130 ? undefined : `exit status ${code}`;
	} catch (error) {
		return (error as Error).message;
	}
}

/** Ends early when the pager takes no more. */
async function feed({ stdin }: ChildProcess, text: AsyncIterable<string> | Iterable<string>): Promise<void> {
	if (stdin === null) return;
	let isGone = false;
	const gone = new Promise<void>((resolve) => {
		const end = () => {
			isGone = true;
			resolve();
		};
		stdin.on("error", end); // EPIPE: the person has left it
		stdin.on("close", end);
	});
	for await (const piece of text) {
		if (isGone) return;
		if (!stdin.write(piece)) await Promise.race([once(stdin, "drain").catch(() => {}), gone]);
	}
	stdin.end();
}

/** A program that a person has chosen by a variable, such as PAGER, and which has the terminal while it lives. */
import { accessSync, constants, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, delimiter, join } from "node:path";
import { AgentreeError } from "../../core/errors.ts";
import { absolutePath } from "../../core/machine/paths.ts";
import { readText } from "../../record/files/regular-file.ts";
import type { Suspension } from "./suspension.ts";

export type Env = Readonly<Record<string, string | undefined>>;

/** Without what means something to a shell. */
const WORDS = /^[\w./+:,@%=\s-]*$/;

/** By which a person leaves a program, or its starter ends it. */
const LEFT_BY: ReadonlySet<NodeJS.Signals> = new Set(["SIGINT", "SIGQUIT", "SIGTERM", "SIGHUP", "SIGPIPE"]);

interface StartedWith {
	readonly env: Env;
	/** What stands behind the command, each as one word. */
	readonly words?: readonly string[];
	/** A text for its standard input, as fast as it takes it; else it has ours. */
	readonly input?: AsyncIterable<string> | Iterable<string>;
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

/**
 * Shows a text in the person's pager, which has the terminal meanwhile. The text comes to its standard input, in pieces and as
 * fast as it takes them, so a text of any size needs no file.
 */

const DEFAULTS = ["less -R", "more"];
/** Would less end at once with a text that fits on the screen, the screen that comes back would hide it. */
const STAY = "-+F";

export class Pager {
	private readonly env: Env;
	private readonly closing = new AbortController();

	constructor(env: Env) {
		this.env = env;
	}

	/** Resolves when the person has left the pager; with what went wrong, if something did. `text` is safe for a terminal. */
	async show(text: AsyncIterable<string> | Iterable<string>): Promise<string | undefined> {
		const command = pagerCommand(this.env);
		if (command === undefined) return "no pager found: set PAGER";
		const end = await runProgram(command, { env: this.env, input: text, signal: this.closing.signal });
		return end === undefined ? undefined : `the pager failed: ${command}: ${end}`;
	}

	close(): void {
		this.closing.abort();
	}
}

/** `$PAGER`, unless that shows nothing to a person here; else the first of the usual ones that is there. */
export function pagerCommand({ PAGER = "", PATH = "" }: Env, isThere = isProgram): string | undefined {
	const wanted = PAGER.trim();
	const chosen = wanted === "" || programOf(wanted) === "cat" ? undefined : wanted;
	const command = chosen ?? DEFAULTS.find((one) => isThere(programOf(one), PATH));
	return command !== undefined && programOf(command) === "less" ? `${command} ${STAY}` : command;
}

/** Writes a message in the person's own editor, which has the terminal meanwhile: in a file that nobody else can read. */

export type Edited =
	| { readonly is: "edited"; readonly text: string }
	/** The message is as it was. `reason`: one line for the person. */
	| { readonly is: "failed"; readonly reason: string };

interface EditorProgram {
	/** `VISUAL`, `EDITOR` and `PATH` are read; the editor gets all of it. */
	readonly env: Env;
	readonly terminal: Pick<Suspension, "lend" | "returned">;
	readonly signal?: AbortSignal;
}

/** Debian's choice of the administrator, and those that are nearly everywhere. */
const USUAL = ["editor", "nano", "vim", "vi"];
/** By its name editors know how to color it, and where to break lines. */
const FILE = "message.md";

export async function openInEditor(text: string, program: EditorProgram): Promise<Edited> {
	const { env, terminal } = program;
	const command = editorCommand(env);
	if (command === undefined) return { is: "failed", reason: "no editor found: set EDITOR" };
	let directory: string | undefined;
	try {
		directory = mkdtempSync(join(tmpdir(), "agentree-message-")); // of mode 0700
		const file = join(directory, FILE);
		writeFileSync(file, ended(text), { mode: 0o600, flag: "wx" });
		terminal.lend();
		const { env, signal } = program;
		const trouble = await runProgram(command, { env, words: [file], signal }).finally(() => terminal.returned());
		if (trouble !== undefined) return failed(`the editor failed: ${command}: ${trouble}`);
		return { is: "edited", text: withoutEnd(readText(file), text) };
	} catch (error) {
		if (error instanceof AgentreeError || (error as NodeJS.ErrnoException).code !== undefined)
			return failed((error as Error).message);
		throw error;
	} finally {
		if (directory !== undefined) rmSync(directory, { recursive: true, force: true });
	}
}

/** `$VISUAL`, `$EDITOR`, or the first of the usual ones that is there. */
function editorCommand({ VISUAL = "", EDITOR = "", PATH = "" }: Env, isThere = isProgram): string | undefined {
	const wanted = VISUAL.trim() || EDITOR.trim();
	return wanted === "" ? USUAL.find((one) => isThere(programOf(one), PATH)) : wanted;
}

function failed(reason: string): Edited {
	return { is: "failed", reason: `${reason}; the message is unchanged` };
}

/** Editors end the last line of a file, and say so of one that has no end. */
function ended(text: string): string {
	return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

function withoutEnd(text: string, before: string): string {
	return before.endsWith("\n") ? text : text.replace(/\r?\n$/, "");
}

/**
 * Shows a text in the person's pager, which has the terminal meanwhile. The text comes to its standard input, in pieces and as
 * fast as it takes them, so a text of any size needs no file.
 */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { type Env, endOfProgram, isProgram, programOf, startProgram } from "./chosen-program.ts";

const DEFAULTS = ["less -R", "more"];
/** Would less end at once with a text that fits on the screen, the screen that comes back would hide it. */
const STAY = "-+F";

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
		const child = startProgram(command, { env: this.env, stdin: "pipe" });
		this.child = child;
		const ended = endOfProgram(child);
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
}

/** `$PAGER`, unless that shows nothing to a person here; else the first of the usual ones that is there. */
export function pagerCommand({ PAGER = "", PATH = "" }: Env, isThere = isProgram): string | undefined {
	const wanted = PAGER.trim();
	const chosen = wanted === "" || programOf(wanted) === "cat" ? undefined : wanted;
	const command = chosen ?? DEFAULTS.find((one) => isThere(programOf(one), PATH));
	return command !== undefined && programOf(command) === "less" ? `${command} ${STAY}` : command;
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

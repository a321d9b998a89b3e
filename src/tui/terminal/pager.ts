/**
 * Shows a text in the person's pager, which has the terminal meanwhile. The text comes to its standard input, in pieces and as
 * fast as it takes them, so a text of any size needs no file.
 */
import { type Env, isProgram, programOf, runProgram } from "./chosen-program.ts";

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

	/** Ends the pager, if there is one; none is shown any more. */
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

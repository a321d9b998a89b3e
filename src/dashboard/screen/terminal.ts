/** The terminal, and the only file that knows blessed: takes it, gives it back, and knows the names of keys. */
import { EventEmitter } from "node:events";
import Program from "blessed/lib/program.js";
import type { Size } from "../scene/line.ts";

export type TerminalOutput = NodeJS.WritableStream & { readonly columns?: number; readonly rows?: number };

/** Some terminals, such as serial lines, do not know their size. */
const USUAL: Size = { columns: 80, rows: 24 };

/**
 * Makes blessed use the terminal description that it brings: the system's database is not asked for a path, and nothing
 * can lie below /dev/null. The system's descriptions of newer terminals have capabilities (`Setulc`, `plab_norm`) that
 * blessed cannot compile and dumps to stderr. All terminals understand what we use of blessed's own.
 */
const OWN_TERMINFO = "/dev/null/xterm-256color";

/** No cursor; what is too long is not carried to the next row; letters are letters, whatever a program has left behind. */
export const REPAIR = "\u001b[?25l\u001b[?7l\u001b(B\u000f\u001b[m";
/** A terminal without a second screen gets an empty one. */
const END = "\u001b[m\u001b[H\u001b[2J\u001b[?7h\u001b[?25h";

export class Terminal {
	readonly #input: KeyInput;
	readonly #output: TerminalOutput;
	readonly #program: Program;
	#isTaken = false;
	#isClosed = false;
	readonly #closeAtExit = () => this.close();

	/** `onKey` gets the name of each sequence that is given to `nameKey`, and its character when it can be seen. */
	constructor(
		input: NodeJS.ReadableStream,
		output: TerminalOutput,
		onKey: (name: string, character: string | undefined) => void,
	) {
		this.#input = new KeyInput(input);
		this.#output = output;
		this.#program = new Program({
			...{ input: this.#input, output, terminal: OWN_TERMINFO },
			...{ extended: false, tput: true, buffer: true },
		});
		this.#program.on("keypress", (character, { full }) => {
			if (full !== "return") onKey(full, isSeen(character) ? character : undefined); // it comes as enter, too
		});
		process.on("exit", this.#closeAtExit);
	}

	get size(): Size {
		const { columns, rows } = this.#output;
		return { columns: columns || USUAL.columns, rows: rows || USUAL.rows };
	}

	/** A second call does nothing. */
	take(): void {
		if (this.#isTaken) return;
		this.#isTaken = true;
		this.#input.setRawMode(false); // else Node believes that the mode is set already, and does nothing
		this.#input.setRawMode(true);
		this.#input.resume();
		this.#program.alternateBuffer();
		this.write(REPAIR);
	}

	/** A second call does nothing. */
	giveBack(): void {
		if (!this.#isTaken) return;
		this.#isTaken = false;
		this.write(END);
		this.#program.normalBuffer();
		this.#program.flush();
		this.#input.setRawMode(false);
		this.#input.pause(); // to read a terminal that another program has would stop this one (SIGTTIN)
	}

	/** Another program has the terminal already, and has set its modes. */
	lose(): void {
		this.#isTaken = false;
		this.#input.pause();
	}

	/** Asks for the size anew: nobody tells it to a program in the background. A change is told as every other. */
	askSize(): void {
		const { _refreshSize: refresh } = this.#output as { _refreshSize?: () => void };
		refresh?.call(this.#output);
	}

	write(text: string): void {
		if (text !== "") this.#program._write(text);
	}

	nameKey(sequence: string): void {
		this.#input.emit("data", sequence);
	}

	close(): void {
		if (this.#isClosed) return;
		this.#isClosed = true;
		process.off("exit", this.#closeAtExit);
		this.giveBack();
		this.#program.destroy();
	}
}

function isSeen(character: string | undefined): boolean {
	return character !== undefined && /^[ -~]$/.test(character);
}

/** What blessed reads in place of the input: one key at a time. It knows the names of keys, but neither pastes nor pieces. */
class KeyInput extends EventEmitter {
	readonly #input: NodeJS.ReadableStream & Partial<Pick<NodeJS.ReadStream, "isRaw" | "setRawMode">>;
	readonly destroyed = true; // so that blessed does not pause it: whoever closes it has done that

	constructor(input: NodeJS.ReadableStream) {
		super();
		this.#input = input;
	}

	get isRaw(): boolean {
		return this.#input.isRaw === true;
	}

	setRawMode(isRaw: boolean): void {
		this.#input.setRawMode?.(isRaw);
	}

	resume(): void {
		this.#input.resume();
	}

	pause(): void {
		this.#input.pause();
	}
}

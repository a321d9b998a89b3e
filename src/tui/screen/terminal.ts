/** The terminal, and the only file that knows blessed: takes it and gives it back. */
import { EventEmitter } from "node:events";
import Program from "blessed/lib/program.js";
import { RawInput, type RawListener } from "../../terminal/raw-input.ts";
import { refreshSize, type TerminalOutput, type TerminalSize, terminalSize } from "../../terminal/terminal-size.ts";

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
	readonly #input: NodeJS.ReadableStream;
	readonly #output: TerminalOutput;
	readonly #listener: RawListener;
	readonly #program: Program;
	/** Undefined while another program has the terminal. */
	#reader: RawInput | undefined;
	#lost: RawInput | undefined;
	#isClosed = false;
	readonly #closeAtExit = () => this.close();

	constructor(input: NodeJS.ReadableStream, output: TerminalOutput, listener: RawListener) {
		this.#input = input;
		this.#output = output;
		this.#listener = listener;
		this.#program = new Program({
			...{ input: new NoInput(), output, terminal: OWN_TERMINFO },
			...{ extended: false, tput: true, buffer: true },
		});
		process.on("exit", this.#closeAtExit);
	}

	get size(): TerminalSize {
		return terminalSize(this.#output);
	}

	/** A second call does nothing. */
	take(): void {
		if (this.#reader !== undefined) return;
		this.#lost?.close();
		this.#lost = undefined;
		this.#reader = new RawInput(this.#input, this.#listener);
		this.#program.alternateBuffer();
		this.write(REPAIR);
	}

	/** A second call does nothing. */
	giveBack(): void {
		if (this.#reader === undefined) return;
		this.write(END);
		this.#program.normalBuffer();
		this.#program.flush();
		this.#reader.giveBack();
		this.#reader = undefined;
	}

	/** Another program has the terminal already, and has set its modes. */
	lose(): void {
		this.#reader?.pause();
		this.#lost = this.#reader ?? this.#lost;
		this.#reader = undefined;
	}

	/** Asks for the size anew: nobody tells it to a program in the background. A change is told as every other. */
	askSize(): void {
		refreshSize(this.#output);
	}

	write(text: string): void {
		if (text !== "") this.#program._write(text);
	}

	close(): void {
		if (this.#isClosed) return;
		this.#isClosed = true;
		process.off("exit", this.#closeAtExit);
		this.giveBack();
		this.#program.destroy();
	}
}

/** What blessed reads in place of the terminal, whose keys are read by keys/. */
class NoInput extends EventEmitter {
	readonly isRaw = true;
	readonly destroyed = true; // so that blessed does not pause it
	setRawMode(): void {}
}

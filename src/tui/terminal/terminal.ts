/**
 * The terminal of a face, and the only file that knows blessed: takes it, gives it back, writes to it, and reports what it sends. What
 * is drawn there is for the screens.
 */
import { EventEmitter } from "node:events";
import Program from "blessed/lib/program.js";
import {
	firstBytes,
	MOST_COPIED,
	Modes,
	type OwnModes,
	refreshSize,
	type TerminalOutput,
	type TerminalSize,
	terminalSize,
	toClipboard,
} from "./modes.ts";
import { RawInput, type RawListener } from "./raw-input.ts";

interface TerminalOptions extends RawListener {
	readonly input: NodeJS.ReadableStream;
	readonly output: TerminalOutput;
	/** Whether the face has a screen of its own, behind which the scrollback stays as it is. */
	readonly hasOwnScreen: boolean;
	readonly modes?: OwnModes | undefined;
	/** The size may be another one, also for a moment that no event reports. Not called while the terminal is another program's. */
	readonly onResize: () => void;
	readonly onExit: () => void;
}

/**
 * Makes blessed use the terminal description that it brings: the system's database is not asked for a path, and nothing
 * can lie below /dev/null. The system's descriptions of newer terminals have capabilities (`Setulc`, `plab_norm`) that
 * blessed cannot compile and dumps to stderr. All terminals understand what we use of blessed's own.
 */
const OWN_TERMINFO = "/dev/null/xterm-256color";
const BELL = "\u0007";

export class Terminal {
	readonly #options: TerminalOptions;
	readonly #program: Program;
	readonly modes: Modes;
	/** Undefined while another program has the terminal. */
	#reader: RawInput | undefined;
	#lost: RawInput | undefined;
	#isClosed = false;
	#resizes = 0;
	readonly #onResize = () => this.#resized();
	readonly #onWindowChange = () => {
		if (!this.isTaken) return;
		const before = this.#resizes;
		this.refreshSize();
		if (this.#resizes === before) this.#resized();
	};
	readonly #onExit = () => this.#options.onExit();

	constructor(options: TerminalOptions) {
		const { output, hasOwnScreen, modes } = options;
		this.#options = options;
		this.#program = new Program({
			...{ input: new NoInput(), output, terminal: OWN_TERMINFO, tput: hasOwnScreen },
			...{ extended: false, buffer: true },
		});
		this.modes = new Modes((text) => this.write(text), modes);
		output.on("resize", this.#onResize);
		process.prependListener("SIGWINCH", this.#onWindowChange); // before Node asks for the size itself
		process.on("exit", this.#onExit);
	}

	get size(): TerminalSize {
		return terminalSize(this.#options.output);
	}

	get isTaken(): boolean {
		return this.#reader !== undefined;
	}

	/** A second call does nothing. The terminal may have another size since it was given back. */
	take(): void {
		if (this.isTaken || this.#isClosed) return;
		this.#lost?.close();
		this.#lost = undefined;
		this.refreshSize();
		this.#reader = new RawInput(this.#options.input, this.#options);
		if (this.#options.hasOwnScreen) this.#program.alternateBuffer();
		this.modes.begin();
	}

	giveBack(): void {
		if (this.#reader === undefined) return;
		this.modes.end();
		if (this.#options.hasOwnScreen) this.#program.normalBuffer();
		this.#program.flush();
		this.#reader.giveBack();
		this.#reader = undefined;
	}

	/** Another program has the terminal already, and has set its modes: nothing is written any more, and nothing read. */
	lose(): void {
		this.modes.lose();
		this.#reader?.pause();
		this.#lost = this.#reader ?? this.#lost;
		this.#reader = undefined;
	}

	/** What is written in one turn of the event loop is written at once. */
	write(text: string): void {
		if (text !== "") this.#program._write(text);
	}

	/** Whether the terminal takes more; when it does not, `onDrained` is called as soon as it does. */
	takesMore(onDrained: () => void): boolean {
		this.#program.flush();
		const { output } = this.#options;
		const isFull = (output as { writableNeedDrain?: boolean }).writableNeedDrain === true;
		if (isFull) output.once("drain", onDrained);
		return !isFull;
	}

	refreshSize(): void {
		refreshSize(this.#options.output);
	}

	bell(): void {
		if (this.isTaken) this.write(BELL);
	}

	/** Puts the text into the clipboard of the person's machine, if the terminal lets programs do that; returns how many bytes of it. */
	copy(text: string): number {
		const copied = Buffer.byteLength(text) <= MOST_COPIED ? text : firstBytes(text, MOST_COPIED);
		if (this.isTaken) this.write(toClipboard(copied));
		return Buffer.byteLength(copied);
	}

	close(): void {
		if (this.#isClosed) return;
		this.giveBack();
		this.#isClosed = true;
		this.#lost?.close();
		this.#options.output.off("resize", this.#onResize);
		process.off("SIGWINCH", this.#onWindowChange);
		process.off("exit", this.#onExit);
		this.#program.destroy();
	}

	#resized(): void {
		this.#resizes++;
		if (!this.#isClosed) this.#options.onResize();
	}
}

/** What blessed reads in place of the terminal, whose keys are read by keys/. */
class NoInput extends EventEmitter {
	readonly isRaw = true;
	readonly destroyed = true; // so that blessed does not pause it
	setRawMode(): void {}
}

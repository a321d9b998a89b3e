/** What is typed while no screen has the terminal: before a conversation, and between two. It is kept until there is a prompt for it. */
import { RawInput } from "./raw-input.ts";

export type TypedBytes = Buffer | string;

const CTRL_C = "\u0003";

export interface TypeAheadOptions {
	/** Whether the terminal can be taken: this process is in its foreground, and it does not edit lines by itself. */
	readonly mayHold: () => boolean;
	/** Does what a terminal does at Ctrl-C. */
	readonly interrupt: () => void;
}

export class TypeAhead {
	readonly #options: TypeAheadOptions;
	#raw: RawInput | undefined;
	#typed: TypedBytes[] = [];

	constructor(options: TypeAheadOptions) {
		this.#options = options;
	}

	/** Takes the terminal, if it can be taken: then nothing is echoed. */
	hold(input: NodeJS.ReadableStream): void {
		if (!this.#options.mayHold()) return;
		this.#raw ??= new RawInput(input, { onInput: (bytes) => this.#hear(bytes), onGone: () => {} });
	}

	keep(bytes: TypedBytes): void {
		this.#typed.push(bytes);
	}

	/** Gives the terminal back, for a question that is answered there. Returns what takes it again. */
	lend(input: NodeJS.ReadableStream): () => void {
		if (this.#raw === undefined) return () => {};
		this.#giveBack();
		return () => this.hold(input);
	}

	/** Gives the terminal back, and what was typed. */
	take(): TypedBytes[] {
		this.#giveBack();
		return this.#typed.splice(0);
	}

	#giveBack(): void {
		this.#raw?.giveBack();
		this.#raw = undefined;
	}

	#hear(bytes: TypedBytes): void {
		if (!String(bytes).includes(CTRL_C)) return this.keep(bytes);
		this.#giveBack();
		this.#options.interrupt();
	}
}

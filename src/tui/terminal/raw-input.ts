/** The keys of a terminal as they are pressed, as bytes. */
import { ReadStream } from "node:tty";

export interface RawListener {
	onInput(bytes: Buffer | string): void;
	/** The terminal is gone; never called before the constructor has returned. */
	onGone(): void;
}

/** What was typed before that is there to be read at once. */
const BEFORE_MS = 20;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/**
 * Reads a terminal in raw mode. What was typed before is in lines, which a terminal ends by a line feed: each is Enter, as it is
 * later. It has a stream of its own: Node sets a terminal's modes back when a process exits that had a raw stream open, and to set
 * them in the background stops the process (SIGTTOU) instead of ending it. Whoever goes to the background closes this one first.
 */
export class RawInput {
	readonly #stream: NodeJS.ReadableStream & Partial<Pick<ReadStream, "setRawMode">>;
	readonly #isOwn: boolean;
	readonly #undo: (() => void)[] = [];
	#mayBeLines = true;

	constructor(input: NodeJS.ReadableStream, { onInput, onGone }: RawListener) {
		const sayGone = () => void setImmediate(onGone);
		const own = ownStream(input);
		this.#isOwn = own.is === "opened";
		this.#stream = own.is === "opened" ? own.stream : input;
		this.#listen("data", (bytes) => onInput(this.#mayBeLines ? withEnter(bytes) : bytes));
		for (const event of ["end", "close", "error"]) this.#listen(event, sayGone);
		if (own.is === "gone") {
			sayGone();
			return;
		}
		this.#stream.setRawMode?.(true);
		this.#stream.resume();
		this.#endLines();
	}

	giveBack(): void {
		this.#stream.setRawMode?.(false);
		this.close();
	}

	/** To read a terminal that another program has would stop this process, too (SIGTTIN). */
	pause(): void {
		for (const undo of this.#undo.splice(0)) undo();
		this.#stream.on("error", () => {}); // the terminal may be gone
		this.#stream.pause();
	}

	/** Newer Nodes set the modes back here, too: only in the foreground. */
	close(): void {
		this.pause();
		if (this.#isOwn) (this.#stream as ReadStream).destroy();
	}

	/** A process that was busy meanwhile reads first what has come. */
	#endLines(): void {
		const timer = setTimeout(() => {
			const afterReading = setImmediate(() => {
				this.#mayBeLines = false;
			});
			this.#undo.push(() => clearImmediate(afterReading));
		}, BEFORE_MS);
		this.#undo.push(() => clearTimeout(timer));
	}

	#listen(event: string, listener: (data: Buffer) => void): void {
		this.#stream.on(event, listener);
		this.#undo.push(() => this.#stream.off(event, listener));
	}
}

/** A character may go on in the next piece. */
function withEnter(bytes: Buffer | string): Buffer | string {
	if (typeof bytes === "string") return bytes.replaceAll("\n", "\r");
	return Buffer.from(bytes.map((byte) => (byte === LINE_FEED ? CARRIAGE_RETURN : byte)));
}

type OwnStream = { is: "opened"; stream: ReadStream } | { is: "none" | "gone" };

/** A terminal that is gone cannot be opened any more (EINVAL, EIO). */
function ownStream(input: NodeJS.ReadableStream): OwnStream {
	const { fd } = input as { fd?: number };
	if (!(input instanceof ReadStream) || fd === undefined) return { is: "none" };
	try {
		return { is: "opened", stream: new ReadStream(fd) };
	} catch {
		return { is: "gone" };
	}
}

/** What is typed while no screen has the terminal: before a conversation, and between two. It is kept until there is a prompt for it. */

const CTRL_C = "\u0003";

interface TypeAheadOptions {
	/** Whether the terminal can be taken: this process is in its foreground, and it does not edit lines by itself. */
	readonly mayHold: () => boolean;
	readonly interrupt: () => void;
}

/** `Late`: what was read of the terminal already, and is for later. */
export class TypeAhead<Late = never> {
	readonly #options: TypeAheadOptions;
	#raw: RawInput | undefined;
	#typed: (Buffer | string | Late)[] = [];

	constructor(options: TypeAheadOptions) {
		this.#options = options;
	}

	/** Takes the terminal, if it can be taken: then nothing is echoed. */
	hold(input: NodeJS.ReadableStream): void {
		if (!this.#options.mayHold()) return;
		this.#raw ??= new RawInput(input, { onInput: (bytes) => this.#hear(bytes), onGone: () => {} });
	}

	keep(typed: Buffer | string | Late): void {
		this.#typed.push(typed);
	}

	/** Gives the terminal back, for a question that is answered there. Returns what takes it again. */
	lend(input: NodeJS.ReadableStream): () => void {
		if (this.#raw === undefined) return () => {};
		this.#giveBack();
		return () => this.hold(input);
	}

	/** Gives the terminal back, and what was typed. */
	take(): (Buffer | string | Late)[] {
		this.#giveBack();
		return this.#typed.splice(0);
	}

	#giveBack(): void {
		this.#raw?.giveBack();
		this.#raw = undefined;
	}

	#hear(bytes: Buffer | string): void {
		if (!String(bytes).includes(CTRL_C)) return this.keep(bytes);
		this.#giveBack();
		this.#options.interrupt();
	}
}

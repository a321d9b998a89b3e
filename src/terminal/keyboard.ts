/** What a terminal sends, byte by byte: decodes it, and tells of it in the order in which it came. */
import { StringDecoder } from "node:string_decoder";
import { InputDecoder, type TerminalInput } from "./input-decoder.ts";
import { SilenceTimer } from "./silence-timer.ts";

/** A terminal writes a sequence in one go. Over a slow line its pieces come at once all the same, or within this time. */
const KEY_SILENCE_MS = 30;
/** Else the end of a paste that is lost would make the program ignore all keys. */
const PASTE_SILENCE_MS = 1_000;

export interface KeyboardOptions {
	/** Longer pastes are cut there. */
	readonly mostPasted?: number;
	readonly silence?: Pick<SilenceTimer, "start" | "stop">;
}

export class Keyboard {
	readonly #tell: (what: readonly TerminalInput[]) => void;
	readonly #decoder: InputDecoder;
	readonly #characters = new StringDecoder("utf8");
	readonly #silence: Pick<SilenceTimer, "start" | "stop">;
	#isClosed = false;

	/** `tell`: gets what came in one read, or what was held until it was clear that no more comes; never nothing. */
	constructor(tell: (what: readonly TerminalInput[]) => void, options: KeyboardOptions = {}) {
		this.#tell = tell;
		this.#decoder = new InputDecoder(options.mostPasted);
		this.#silence = options.silence ?? new SilenceTimer();
	}

	read(bytes: Buffer | string): void {
		this.#silence.stop();
		this.#tellAll(this.#decoder.decode(typeof bytes === "string" ? bytes : this.#characters.write(bytes)));
		const { holds } = this.#decoder;
		if (this.#isClosed || holds === "nothing") return;
		const ms = holds === "paste" ? PASTE_SILENCE_MS : KEY_SILENCE_MS;
		this.#silence.start(ms, () => this.#tellAll(this.#decoder.flush()));
	}

	close(): void {
		this.#isClosed = true;
		this.#silence.stop();
	}

	#tellAll(inputs: readonly TerminalInput[]): void {
		if (inputs.length > 0 && !this.#isClosed) this.#tell(inputs);
	}
}

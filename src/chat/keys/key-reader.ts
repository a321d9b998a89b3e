/** Bytes of a terminal to keys, in the order in which they came. */
import { Keyboard, type KeyboardOptions } from "../../terminal/keyboard.ts";
import type { Key } from "./key.ts";
import { isUnmarkedPaste, readKeys } from "./read-keys.ts";

/** Longer pastes are cut there: who has more to say puts it into a file. */
export const MOST_PASTED = 8 * 1024 * 1024;
/** A terminal's paste that fills more than one read comes without a rest. */
const UNMARKED_PASTE_MS = 50;

export interface KeyReaderOptions extends Pick<KeyboardOptions, "silence"> {
	readonly tell: (key: Key) => void;
	/** Milliseconds. */
	readonly now: () => number;
}

export class KeyReader {
	readonly #keyboard: Keyboard;
	readonly #options: KeyReaderOptions;
	#lastPasteAt = Number.NEGATIVE_INFINITY;

	constructor(options: KeyReaderOptions) {
		this.#options = options;
		const { silence } = options;
		this.#keyboard = new Keyboard((inputs) => this.#tellAll(inputs), {
			mostPasted: MOST_PASTED,
			...(silence === undefined ? {} : { silence }),
		});
	}

	read(bytes: Buffer | string): void {
		this.#keyboard.read(bytes);
	}

	/** Reads no more; the keys of the read that is just told are told. */
	close(): void {
		this.#keyboard.close();
	}

	#tellAll(inputs: Parameters<typeof readKeys>[0]): void {
		const { tell, now } = this.#options;
		const at = now();
		const keys = readKeys(inputs, at - this.#lastPasteAt <= UNMARKED_PASTE_MS);
		if (isUnmarkedPaste(inputs, keys)) this.#lastPasteAt = at;
		for (const key of keys) tell(key);
	}
}

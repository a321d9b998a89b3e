/** A terminal's input: reads it, decodes it, and tells of it in the order in which it came. */
import { StringDecoder } from "node:string_decoder";
import { InputDecoder, type TerminalInput } from "./input-decoder.ts";

export interface Keyboard {
	/** Reads no more. */
	close(): void;
}

/** A terminal writes a sequence in one go. Over a slow line its pieces come at once all the same, or within this time. */
const KEY_SILENCE_MS = 30;
/** Else the end of a paste that is lost would make the dashboard ignore all keys. */
const PASTE_SILENCE_MS = 1_000;

export function openKeyboard(input: NodeJS.ReadableStream, tell: (what: TerminalInput) => void): Keyboard {
	const decoder = new InputDecoder();
	const characters = new StringDecoder("utf8");
	let isClosed = false;
	let silence: NodeJS.Timeout | undefined;
	const tellAll = (inputs: readonly TerminalInput[]) => {
		for (const one of inputs) if (!isClosed) tell(one);
	};
	const read = (bytes: Buffer | string) => {
		clearTimeout(silence);
		tellAll(decoder.decode(typeof bytes === "string" ? bytes : characters.write(bytes)));
		if (isClosed || decoder.holds === "nothing") return;
		silence = setTimeout(() => tellAll(decoder.flush()), decoder.holds === "paste" ? PASTE_SILENCE_MS : KEY_SILENCE_MS);
	};
	input.on("data", read);
	return {
		close: () => {
			isClosed = true;
			clearTimeout(silence);
			input.off("data", read);
		},
	};
}

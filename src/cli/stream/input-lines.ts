/** The lines of a stream, as bytes. One that is too long is passed over, and never kept. */
export type InputLine =
	| { readonly is: "line"; readonly number: number; readonly bytes: Uint8Array }
	| { readonly is: "too_long"; readonly number: number };

const LINE_FEED = 10;
/** A message of the longest, each character of it escaped. */
export const MAX_LINE_BYTES = 8 * 1024 * 1024;

/** The last line need not end. Rejects with the stream's error. */
export async function* inputLines(input: AsyncIterable<Uint8Array>, most = MAX_LINE_BYTES): AsyncGenerator<InputLine> {
	let number = 1;
	let parts: Uint8Array[] = [];
	let bytes = 0;
	const line = (): InputLine => {
		const found: InputLine =
			bytes > most ? { is: "too_long", number } : { is: "line", number, bytes: joined(parts, bytes) };
		[parts, bytes, number] = [[], 0, number + 1];
		return found;
	};
	const add = (part: Uint8Array) => {
		bytes += part.length;
		if (bytes > most) parts = [];
		else parts.push(part);
	};
	for await (const chunk of input) {
		let from = 0;
		for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, from)) {
			add(chunk.subarray(from, end));
			yield line();
			from = end + 1;
		}
		if (from < chunk.length) add(chunk.subarray(from));
	}
	if (bytes > 0) yield line();
}

function joined(parts: readonly Uint8Array[], bytes: number): Uint8Array {
	if (parts.length === 1) return parts[0] as Uint8Array;
	const whole = new Uint8Array(bytes);
	let at = 0;
	for (const part of parts) {
		whole.set(part, at);
		at += part.length;
	}
	return whole;
}

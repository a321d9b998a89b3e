/** The beginning of a body, which tells what it is when its type does not, and the whole of it to be read all the same. */
export interface Peeked {
	readonly beginning: string;
	readonly all: AsyncIterable<Uint8Array>;
}

const BEGINNING_BYTES = 16; // more than a BOM and the name of a field

/** Throws what the body throws. */
export async function peeked(body: AsyncIterable<Uint8Array>): Promise<Peeked> {
	const reader = body[Symbol.asyncIterator]();
	const chunks: Uint8Array[] = [];
	let bytes = 0;
	while (bytes < BEGINNING_BYTES) {
		const { done, value } = await reader.next();
		if (done) break;
		chunks.push(value);
		bytes += value.byteLength;
	}
	return { beginning: new TextDecoder().decode(Buffer.concat(chunks)), all: both(chunks, reader) };
}

async function* both(chunks: readonly Uint8Array[], reader: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
	try {
		yield* chunks;
		for (;;) {
			const { done, value } = await reader.next();
			if (done) return;
			yield value;
		}
	} finally {
		await reader.return?.();
	}
}

/**
 * Lines of UTF-8 out of bytes that come in chunks. A line may be as long as an answer may be, which is 64 MiB and more: so
 * its pieces are kept apart until it is whole, since joining them as they come would copy the line once a chunk.
 */
const LINE_FEED = 0x0a;
const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

export class LineSplitter {
	private pieces: Uint8Array[] = [];
	private begunBytes = 0;

	/** The bytes so far of a line that is not complete yet. */
	get restBytes(): number {
		return this.begunBytes;
	}

	/** What there is so far of a line that is not complete yet. */
	get rest(): string {
		return utf8.decode(joined(this.pieces, this.begunBytes));
	}

	/** The lines that end in `chunk`, without their line feeds. When all are taken, the chunk's memory may be used anew. */
	*push(chunk: Uint8Array): Generator<string> {
		let from = 0;
		for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, from)) {
			const end = chunk.subarray(from, at);
			from = at + 1;
			yield utf8.decode(this.begunBytes === 0 ? end : this.wholeLine(end));
		}
		if (from === chunk.length) return;
		this.pieces.push(new Uint8Array(chunk.subarray(from)));
		this.begunBytes += chunk.length - from;
	}

	private wholeLine(end: Uint8Array): Uint8Array {
		const line = joined([...this.pieces, end], this.begunBytes + end.length);
		this.pieces = [];
		this.begunBytes = 0;
		return line;
	}
}

function joined(pieces: readonly Uint8Array[], bytes: number): Uint8Array {
	const whole = new Uint8Array(bytes);
	let at = 0;
	for (const piece of pieces) {
		whole.set(piece, at);
		at += piece.length;
	}
	return whole;
}

/**
 * Lines out of the bytes of one client, taken one at a time, so that its reader may pause between two. What has begun of a line
 * is kept in one buffer that grows by doubling: a client that sends single bytes costs no more than one that does not.
 */
const LINE_FEED = 0x0a;
const NOTHING: Buffer = Buffer.alloc(0);
const LEAST_BYTES = 4_096;

type Taken =
	| { readonly is: "line"; readonly line: Buffer }
	/** All that came is taken. */
	| { readonly is: "nothing" }
	/** There is no room for what has begun: to be tried again later. */
	| { readonly is: "no_room" }
	| { readonly is: "too_long" };

export class IncomingLines {
	private begun = NOTHING;
	private begunBytes = 0;
	private chunk = NOTHING;

	/** Only once all of the chunk before is taken. */
	push(chunk: Buffer): void {
		this.chunk = chunk;
	}

	/** `hasRoom`: whether so many bytes may be kept for a line that has begun. A line is valid until the next call. */
	take(maxBytes: number, hasRoom: (bytes: number) => boolean): Taken {
		const end = this.chunk.indexOf(LINE_FEED);
		const piece = end < 0 ? this.chunk : this.chunk.subarray(0, end);
		if (this.begunBytes + piece.length > maxBytes) return { is: "too_long" };
		const isWholeInChunk = end >= 0 && this.begunBytes === 0;
		if (!isWholeInChunk && !this.keep(piece, hasRoom)) return { is: "no_room" };
		this.chunk = end < 0 ? NOTHING : this.chunk.subarray(end + 1);
		if (end < 0) return { is: "nothing" };
		return { is: "line", line: isWholeInChunk ? piece : this.wholeLine() };
	}

	private keep(piece: Buffer, hasRoom: (bytes: number) => boolean): boolean {
		const needed = this.begunBytes + piece.length;
		if (needed > this.begun.length) {
			const bytes = Math.max(LEAST_BYTES, needed, 2 * this.begun.length);
			if (!hasRoom(bytes)) return false;
			const larger = Buffer.allocUnsafe(bytes);
			this.begun.copy(larger, 0, 0, this.begunBytes);
			this.begun = larger;
		}
		piece.copy(this.begun, this.begunBytes);
		this.begunBytes = needed;
		return true;
	}

	private wholeLine(): Buffer {
		const line = this.begun.subarray(0, this.begunBytes);
		this.begun = NOTHING;
		this.begunBytes = 0;
		return line;
	}
}

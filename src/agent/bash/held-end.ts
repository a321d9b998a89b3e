/** The end of a stream of bytes, held back in a buffer that is used anew, so that gigabytes leave no garbage. */

const HELD_BYTES = 16 * 1024;
const FIRST_BYTES = 1024;

export class HeldEnd {
	private readonly give: (bytes: Uint8Array) => void;
	private buffer = new Uint8Array(0);
	private size = 0;

	/** `give` gets what is no longer held, and copies what it keeps. */
	constructor(give: (bytes: Uint8Array) => void) {
		this.give = give;
	}

	add(bytes: Uint8Array): void {
		if (this.size + bytes.length > 2 * HELD_BYTES) this.giveAllBut(Math.max(0, HELD_BYTES - bytes.length));
		const cut = characterStart(bytes, Math.max(0, bytes.length - HELD_BYTES));
		if (cut > 0) this.give(bytes.subarray(0, cut));
		this.append(bytes.subarray(cut));
	}

	/** What is held, which is then forgotten; valid until the next `add`. */
	take(): Uint8Array {
		const held = this.buffer.subarray(0, this.size);
		this.size = 0;
		return held;
	}

	private giveAllBut(rest: number): void {
		const held = this.buffer.subarray(0, this.size);
		const cut = characterStart(held, Math.max(0, this.size - rest));
		this.give(held.subarray(0, cut));
		this.buffer.copyWithin(0, cut, this.size);
		this.size -= cut;
	}

	private append(bytes: Uint8Array): void {
		const needed = this.size + bytes.length;
		if (needed > this.buffer.length) {
			const larger = new Uint8Array(Math.max(FIRST_BYTES, Math.min(2 * needed, 2 * HELD_BYTES)));
			larger.set(this.buffer.subarray(0, this.size));
			this.buffer = larger;
		}
		this.buffer.set(bytes, this.size);
		this.size = needed;
	}
}

/** `at`, or a place up to three bytes behind it, so that no character is parted. */
function characterStart(bytes: Uint8Array, at: number): number {
	if (at === 0) return 0;
	let start = at;
	while (start < at + 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++;
	return Math.min(start, bytes.length);
}

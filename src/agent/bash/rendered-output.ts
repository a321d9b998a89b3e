/**
 * Output as a terminal would leave it, on its way to the keeper, so that a progress bar takes the room of one line. What only
 * prints passes as it is; but its end is held back, since a cursor move may still change it. Memory is bounded.
 */
import { Rendering } from "../../text/safe/strip-terminal.ts";

const [BACKSPACE, CARRIAGE_RETURN, ESCAPE] = [0x08, 0x0d, 0x1b];

export class RenderedOutput {
	private readonly take: (bytes: Uint8Array) => void;
	private readonly held: HeldEnd;
	private rendering: Rendering | undefined;
	private readonly decoder = new TextDecoder("utf-8", { ignoreBOM: true });
	private isInCharacter = false;

	/** `take` gets what can no longer change, and copies what it keeps. */
	constructor(take: (bytes: Uint8Array) => void) {
		this.take = take;
		this.held = new HeldEnd(take);
	}

	/** Copies what it holds, so the chunk may be reused. */
	add(chunk: Uint8Array): void {
		if (chunk.length === 0) return;
		const mayMove = [ESCAPE, CARRIAGE_RETURN, BACKSPACE].some((byte) => chunk.includes(byte));
		if (!mayMove && this.rendering?.isAtEnd === true && !this.isInCharacter) this.stopRendering();
		if (!mayMove && this.rendering === undefined) this.held.add(chunk);
		else this.render(chunk);
	}

	/** Gives the rest. What is added later begins anew. */
	end(): void {
		this.stopRendering();
		this.take(this.held.take());
	}

	private render(chunk: Uint8Array): void {
		if (this.rendering === undefined) {
			this.rendering = new Rendering((text) => this.take(Buffer.from(text)));
			this.rendering.write(this.decoder.decode(this.held.take(), { stream: true }));
		}
		this.rendering.write(this.decoder.decode(chunk, { stream: true }));
		this.isInCharacter = (chunk.at(-1) ?? 0) >= 0x80;
	}

	/** What is on the screen may still be changed, so it is held as other output is. */
	private stopRendering(): void {
		const { rendering } = this;
		if (rendering === undefined) return;
		rendering.write(this.decoder.decode());
		this.rendering = undefined;
		rendering.end((text) => this.held.add(Buffer.from(text)));
	}
}

/** The end of a stream of bytes, held back in a buffer that is used anew, so that gigabytes leave no garbage. */

const HELD_BYTES = 16 * 1024;
const FIRST_BYTES = 1024;

class HeldEnd {
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

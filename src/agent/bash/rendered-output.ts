/**
 * Output as a terminal would leave it, on its way to the keeper, so that a progress bar takes the room of one line. What only
 * prints passes as it is; but its end is held back, since a cursor move may still change it. Memory is bounded.
 */
import { Rendering } from "../../text/safe/strip-terminal.ts";
import { HeldEnd } from "./held-end.ts";

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

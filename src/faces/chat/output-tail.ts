/** The end of an output that may be endless: what comes is only counted and kept, so each byte costs next to nothing. Pure. */
import { OutputLines } from "../../view/words/output-lines.ts";

const LINE_FEED = 0x0a;

export class OutputTail {
	private readonly mostBytes: number;
	private chunks: Uint8Array[] = [];
	private keptBytes = 0;
	private allBytes = 0;
	private lineFeeds = 0;
	private endsLine = true;

	constructor(mostBytes: number) {
		this.mostBytes = mostBytes;
	}

	add(chunk: Uint8Array): void {
		if (chunk.length === 0) return;
		this.allBytes += chunk.length;
		for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, at + 1)) this.lineFeeds++;
		this.endsLine = chunk.at(-1) === LINE_FEED;
		this.chunks.push(chunk.slice(-this.mostBytes));
		this.keptBytes += this.chunks.at(-1)?.length ?? 0;
		while (this.keptBytes - (this.chunks[0]?.length ?? 0) >= this.mostBytes)
			this.keptBytes -= this.chunks.shift()?.length ?? 0;
	}

	get isEmpty(): boolean {
		return this.allBytes === 0;
	}

	/** How many lines there were. */
	get count(): number {
		return this.lineFeeds + (this.endsLine ? 0 : 1);
	}

	get isWhole(): boolean {
		return this.keptBytes === this.allBytes;
	}

	/** The lines that were kept. Of one whose beginning is gone the rest is only given when there is no other. */
	lines(): string[] {
		const lines = new OutputLines();
		const all = [...this.chunks.flatMap((chunk) => lines.push(chunk, 0)), ...lines.end()];
		return this.isWhole || all.length < 2 ? all : all.slice(1);
	}
}

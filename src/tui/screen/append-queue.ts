/**
 * Lines that wait to be appended, in order, and those who wait until few of them do. They are kept as bytes: of strings that are put
 * together the pieces stay alive, and a long answer in small pieces would fill the heap for as long as the terminal is slow.
 */
import { segment } from "../text/line.ts";
import { paintLine } from "./paint.ts";

/** Characters; who appends more than that at once should wait. */
const MOST_WAITING = 1024 * 1024;
/** Of what comes while another program has the terminal more is not kept: transcripts have it. */
const MOST_KEPT = 8 * 1024 * 1024;
const CHUNK = 16 * 1024; // characters

interface Chunk {
	readonly bytes: Buffer;
	readonly chars: number;
	readonly lines: number;
}

export class AppendQueue {
	private chunks: Chunk[] = [];
	/** Lines that are no chunk so far, each with its end. */
	private begun = "";
	private begunLines = 0;
	private chars = 0;
	private dropped = 0;
	private whenShort: (() => void)[] = [];

	get isEmpty(): boolean {
		return this.chars === 0;
	}

	get isLong(): boolean {
		return this.chars > MOST_WAITING;
	}

	/** `written`: a line as it is written to a terminal, without its end. */
	add(written: string): void {
		this.begun += `${written}\r\n`;
		this.begunLines++;
		this.chars += written.length + 2;
		if (this.begun.length >= CHUNK) this.endChunk();
		if (this.chars > MOST_KEPT) this.dropOldest();
	}

	/** The next lines, of about so many characters, each with its end; at least one, if any waits. */
	take(mostChars: number): string {
		this.endChunk();
		let chars = 0;
		let count = 0;
		for (const chunk of this.chunks) {
			if (count > 0 && chars + chunk.chars > mostChars) break;
			chars += chunk.chars;
			count++;
		}
		this.chars -= chars;
		const taken = this.chunks.splice(0, count).map(({ bytes }) => bytes.toString());
		const text = this.droppedLine() + taken.join("");
		if (!this.isLong) this.tellShort();
		return text;
	}

	/** Resolves at once when it is short already. */
	short(): Promise<void> {
		return this.isLong ? new Promise((resolve) => this.whenShort.push(resolve)) : Promise.resolve();
	}

	private endChunk(): void {
		if (this.begunLines === 0) return;
		const { begun, begunLines: lines } = this;
		this.chunks.push({ bytes: Buffer.from(begun), chars: begun.length, lines });
		this.begun = "";
		this.begunLines = 0;
	}

	private dropOldest(): void {
		this.endChunk();
		let count = 0;
		while (this.chars > MOST_KEPT / 2) {
			const { chars = 0, lines = 0 } = this.chunks[count++] ?? {};
			this.chars -= chars;
			this.dropped += lines;
		}
		this.chunks.splice(0, count);
	}

	private droppedLine(): string {
		if (this.dropped === 0) return "";
		const text = `… ${this.dropped} lines omitted`;
		this.dropped = 0;
		return `${paintLine([segment(text, "dim")], "bare").written}\r\n`;
	}

	private tellShort(): void {
		for (const tell of this.whenShort.splice(0)) tell();
	}
}

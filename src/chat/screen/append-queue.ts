/** Lines that wait to be appended, in order, and those who wait until few of them do. */
import { type PaintedLine, paintLine } from "./paint.ts";

/** Characters; who appends more than that at once should wait. */
const MOST_WAITING = 1024 * 1024;
/** Of what comes while another program has the terminal more is not kept: transcripts have it. */
const MOST_KEPT = 8 * 1024 * 1024;

export class AppendQueue {
	private lines: PaintedLine[] = [];
	private chars = 0;
	private dropped = 0;
	private whenShort: (() => void)[] = [];

	get isEmpty(): boolean {
		return this.lines.length === 0;
	}

	get isLong(): boolean {
		return this.chars > MOST_WAITING;
	}

	add(line: PaintedLine): void {
		this.lines.push(line);
		this.chars += line.written.length;
		if (this.chars > MOST_KEPT) this.dropOldest();
	}

	/** The next lines, of so many characters at most; at least one, if any waits. */
	take(mostChars: number): PaintedLine[] {
		let chars = 0;
		let count = 0;
		for (const { written } of this.lines) {
			if (count > 0 && chars + written.length > mostChars) break;
			chars += written.length;
			count++;
		}
		this.chars -= chars;
		const taken = [...this.droppedLine(), ...this.lines.splice(0, count)];
		if (!this.isLong) this.tellShort();
		return taken;
	}

	/** Resolves at once when it is short already. */
	short(): Promise<void> {
		return this.isLong ? new Promise((resolve) => this.whenShort.push(resolve)) : Promise.resolve();
	}

	private dropOldest(): void {
		let count = 0;
		while (this.chars > MOST_KEPT / 2) this.chars -= this.lines[count++]?.written.length ?? 0;
		this.lines.splice(0, count);
		this.dropped += count;
	}

	private droppedLine(): PaintedLine[] {
		if (this.dropped === 0) return [];
		const lines =
			this.dropped === 1 ? "1 line that came meanwhile is" : `${this.dropped} lines that came meanwhile are`;
		const text = `… ${lines} left out`;
		this.dropped = 0;
		return [paintLine({ parts: [{ text, style: "dim" }] }, true)];
	}

	private tellShort(): void {
		for (const tell of this.whenShort.splice(0)) tell();
	}
}

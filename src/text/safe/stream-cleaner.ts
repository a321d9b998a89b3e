/** Makes bytes that come in chunks safe for a terminal. No sequence goes over the end of a line, so whole lines are cleaned. */
import { stripControl } from "./terminal-safe.ts";

const MOST_HELD = 1024 * 1024; // characters of a line that does not end; beyond, a sequence that is parted leaves its letters

export class StreamCleaner {
	private readonly utf8 = new TextDecoder();
	private held = "";

	/** The safe text of the lines that have ended. */
	push(chunk: Uint8Array): string {
		return this.take(this.utf8.decode(chunk, { stream: true }));
	}

	/** The safe text of what has not ended. */
	end(): string {
		const rest = this.held + this.utf8.decode();
		this.held = "";
		return stripControl(rest);
	}

	private take(text: string): string {
		const begun = this.held + text;
		const end = begun.length > MOST_HELD ? begun.length : begun.lastIndexOf("\n") + 1;
		this.held = begun.slice(end);
		return stripControl(begun.slice(0, end));
	}
}

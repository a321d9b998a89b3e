/** The here-documents of a script that wait for the end of their line, behind which they stand. */
import type { Characters } from "./characters.ts";
import type { Input } from "./script.ts";
import { Unread } from "./word-reader.ts";

interface HereDocument {
	/** The word that ends it, as it is written. */
	readonly end: string;
	readonly isQuoted: boolean;
	readonly stripsTabs: boolean;
	/** Of the command that reads it. */
	readonly input: Input;
}

export class HereDocuments {
	private readonly source: Characters;
	private readonly onExpanded: (text: string) => void;
	private waiting: HereDocument[] = [];

	/** `onExpanded` is given those in which bash expands what stands there. */
	constructor(source: Characters, onExpanded: (text: string) => void) {
		this.source = source;
		this.onExpanded = onExpanded;
	}

	add(document: HereDocument): void {
		this.waiting.push(document);
	}

	/** Versions of bash differ in where one stands that begins before a parenthesis, and ends behind it. */
	requireNone(): void {
		if (this.waiting.length > 0) throw new Unread("a here-document across a parenthesis");
	}

	/** Goes past those that wait: a line has ended. */
	read(): void {
		for (const { end, isQuoted, stripsTabs, input } of this.waiting.splice(0)) {
			const word = end.replaceAll("\\\n", "").replace(/\\(.)|["']/gs, "$1");
			const lines: string[] = [];
			while (!this.source.isOver) {
				const line = this.line(isQuoted);
				if ((stripsTabs ? line.replace(/^\t+/, "") : line) === word) break;
				lines.push(line);
			}
			input.text = lines.join("\n");
			input.isExpanded = !isQuoted;
			if (!isQuoted) this.onExpanded(input.text);
		}
	}

	/** Where bash expands the text, a backslash joins its line and the next. */
	private line(isQuoted: boolean): string {
		let line = "";
		for (;;) {
			line += this.source.match(/[^\n]*/y);
			const isJoined = this.source.take("\n") && !isQuoted && /(?:^|[^\\])(?:\\\\)*\\$/.test(line);
			if (!isJoined) return line;
			line = line.slice(0, -1);
		}
	}
}

/** The here-documents of a script that wait for the end of their line, behind which they stand. */
import { ansiQuoted } from "./ansi-quoted.ts";
import { Characters } from "./characters.ts";
import { ANY } from "./pattern.ts";
import type { Input } from "./script.ts";
import { Unread } from "./word-reader.ts";

interface HereDocument {
	/** The word that ends it. */
	readonly word: string;
	readonly isQuoted: boolean;
	readonly stripsTabs: boolean;
	/** Of the command that reads it. */
	readonly input: Input;
}

export class HereDocuments {
	private readonly source: Characters;
	private readonly onExpanded: (text: string) => void;
	private waiting: HereDocument[] = [];
	/** How many there are around this place. */
	private substitutions = 0;

	/** `onExpanded` is given those in which bash expands what stands there. */
	constructor(source: Characters, onExpanded: (text: string) => void) {
		this.source = source;
		this.onExpanded = onExpanded;
	}

	/** `written`: its end word. */
	add({ written, ...document }: Omit<HereDocument, "word" | "isQuoted"> & { readonly written: string }): void {
		this.waiting.push({ ...document, ...endWord(written) });
	}

	/** Versions of bash differ in where one stands that begins before a parenthesis, and ends behind it. */
	requireNone(): void {
		if (this.waiting.length > 0) throw new Unread("a here-document across a parenthesis");
	}

	/** Goes past it if it stands here, and past the documents that wait for it. */
	lineEnd(): boolean {
		if (!this.source.take("\n")) return false;
		this.read();
		return true;
	}

	/** Goes past blanks and ends of lines. */
	gap(): void {
		while (this.source.match(/(?:[ \t]|\\\n)+/y) !== "" || this.lineEnd());
	}

	/** `read` goes past the commands of one, and its parenthesis, which may follow an end word. */
	substitution(read: () => void): void {
		this.substitutions += 1;
		read();
		this.substitutions -= 1;
	}

	private read(): void {
		for (const { word, isQuoted, stripsTabs, input } of this.waiting.splice(0)) {
			const lines: string[] = [];
			while (!this.source.isOver) {
				const line = this.line(isQuoted);
				const stripped = stripsTabs ? line.replace(/^\t+/, "") : line;
				if (line === word || stripped === word) break;
				if (this.substitutions > 0 && this.isEndBeforeParenthesis(stripped, word)) break;
				lines.push(stripped);
			}
			input.text = lines.join("\n");
			input.isExpanded = !isQuoted && /[$`\\]/.test(input.text);
			if (!isQuoted) this.onExpanded(input.text);
		}
	}

	/** Where bash expands the text, a backslash joins its line and the next. */
	private line(isQuoted: boolean): string {
		let line = "";
		for (;;) {
			const piece = this.source.match(/[^\n]*/y);
			line += piece;
			const isJoined = this.source.take("\n") && !isQuoted && /(?:^|[^\\])(?:\\\\)*\\$/.test(piece);
			if (!isJoined) return line;
			line = line.slice(0, -1);
		}
	}

	/** `EOF)` ends the document, too; then the parenthesis is what is read next. */
	private isEndBeforeParenthesis(line: string, word: string): boolean {
		const rest = line.slice(word.length);
		if (!line.startsWith(word) || !rest.includes(")")) return false;
		const { source } = this;
		const end = source.text[source.at - 1] === "\n" ? source.at - 1 : source.at;
		const start = end - rest.length;
		if (!rest.startsWith(")") || source.text.slice(start, end) !== rest)
			throw new Unread("a here-document whose end word others follow");
		source.at = start;
		return true;
	}
}

/** As bash reads it: quotes are removed, nothing is expanded. */
function endWord(written: string): { word: string; isQuoted: boolean } {
	const source = new Characters(written);
	let word = "";
	let isQuoted = false;
	while (!source.isOver) {
		if (source.take("\\\n")) continue;
		if (/\$[({[]|`|[<>]\(/y.test(source.text.slice(source.at, source.at + 2))) throw expansionInEnd();
		const char = source.next();
		const quoted = char === "$" && /["']/.test(source.peek()) ? source.next() : char;
		if (!/[\\"']/.test(quoted)) {
			word += char;
			continue;
		}
		isQuoted = true;
		if (quoted === "\\") word += source.next();
		else if (quoted === '"') word += inDoubleQuotes(source);
		else if (char === "$") word += ansiQuoted(source) ?? "";
		else {
			word += source.match(/[^']*/y);
			source.at += 1;
		}
	}
	if (word.includes(ANY)) throw expansionInEnd();
	return { word, isQuoted };
}

function inDoubleQuotes(source: Characters): string {
	const text = source.match(/(?:\\.|[^"\\])*/sy);
	source.at += 1;
	if (/(?:^|[^\\])(?:\\\\)*(?:\$[({[]|`)/.test(text)) throw expansionInEnd();
	return text.replace(/\\([$`"\\\n])/g, (_, char: string) => (char === "\n" ? "" : char));
}

function expansionInEnd(): Unread {
	return new Unread("an end word of a here-document that is more than text");
}

/**
 * Reads the words of a script as bash does: quotes are removed, and what bash would expand is `ANY`. Commands within a word,
 * as in `$(date)`, are handed to `onCommands`.
 */
import { ansiQuoted } from "./ansi-quoted.ts";
import { bareChar, expandBraces } from "./brace-expansion.ts";
import type { Characters } from "./characters.ts";
import { ANY } from "./pattern.ts";

export interface Word {
	readonly text: string;
	/** It alone, or what braces make of it. */
	readonly words: readonly string[];
	/** Nothing of it was quoted: it may be a word of the shell's own. */
	readonly isBare: boolean;
	/** How many characters at its beginning were not quoted, and are known. */
	readonly bareChars: number;
}

/** What cannot be read; it is the reason. */
export class Unread extends Error {
	/** It says where. */
	readonly isPlaced: boolean;

	constructor(reason: string, isPlaced = false) {
		super(reason);
		this.isPlaced = isPlaced;
	}
}

export interface WordReaderDeps {
	/** Reads commands up to the closing parenthesis, and goes past it. */
	readonly onCommands: () => void;
	/** Commands in a text of their own. */
	readonly onText: (script: string) => void;
	readonly mistakes: Mistakes;
}

/** How often what stands behind two parentheses was no computation, and was read again: in a script and in all within it. */
export interface Mistakes {
	count: number;
}

const MAX_DEPTH = 30;
const MAX_MISTAKEN = 8;
const META = /[ \t\n;&|<>()]/;

export class WordReader {
	private readonly source: Characters;
	private readonly deps: WordReaderDeps;
	private depth = 0;

	constructor(source: Characters, deps: WordReaderDeps) {
		this.source = source;
		this.deps = deps;
	}

	/** The word that begins here; empty text when none does. */
	word(): Word {
		const { source } = this;
		const start = source.at;
		let text = "";
		let bareChars: number | undefined;
		const quoted = (piece: string) => {
			bareChars ??= text.length;
			text += piece;
		};
		while (!source.isOver) {
			const char = source.peek();
			if (source.startsWith("<(") || source.startsWith(">(")) {
				source.at += 2;
				this.deps.onCommands();
				quoted(ANY);
			} else if (META.test(char)) break;
			else if (source.take("\\\n")) continue;
			else if (char === "\\") quoted(this.escaped());
			else if (char === "'") quoted(this.single());
			else if (char === '"') quoted(this.double());
			else if (char === "$") quoted(this.dollar(false));
			else if (char === "`") quoted(this.backticks());
			else if (text === "" && bareChars === undefined && source.match(/\[\[?(?=[ \t\n])/y) !== "")
				text = source.text.slice(start, source.at);
			else if (/[*?[]/.test(char)) quoted(this.glob());
			else {
				text += bareChar(source.next());
			}
		}
		const isBare = bareChars === undefined;
		const words = expandBraces(text);
		return { text: words.length > 1 ? ANY : (words[0] ?? ""), words, isBare, bareChars: bareChars ?? text.length };
	}

	/** Commands within a here-document, which is expanded like a quoted text. */
	expansions(): void {
		const { source } = this;
		while (!source.isOver) {
			const char = source.peek();
			if (char === "\\") source.at += 2;
			else if (char === "$") this.dollar(true);
			else if (char === "`") this.backticks();
			else source.at += 1;
		}
	}

	/** Goes past what is computed, up to `))` and past it. False, at the place where it was, when that never comes. */
	arithmetic(): boolean {
		const { source } = this;
		const start = source.at;
		for (let depth = 0; !source.isOver; ) {
			if (depth === 0 && source.take("))")) return true;
			const char = source.peek();
			if (char === "\\") source.at += 2;
			else if (char === "'") this.single();
			else if (char === '"') this.double();
			else if (char === "$") this.dollar(true);
			else if (char === "`") this.backticks();
			else {
				if (char === "(") depth += 1;
				if (char === ")") depth -= 1;
				if (depth < 0) break;
				source.at += 1;
			}
		}
		source.at = start;
		return false;
	}

	mistake(): void {
		if (++this.deps.mistakes.count > MAX_MISTAKEN) throw new Unread("too many parentheses");
	}

	private escaped(): string {
		this.source.at += 1;
		const char = this.source.next();
		return char === "\n" ? "" : char;
	}

	private single(): string {
		const { source } = this;
		const end = source.text.indexOf("'", source.at + 1);
		if (end < 0) return unclosed("quote");
		const text = source.text.slice(source.at + 1, end);
		source.at = end + 1;
		return text;
	}

	private double(): string {
		const { source } = this;
		source.at += 1;
		let text = "";
		while (!source.isOver) {
			const char = source.peek();
			if (source.take('"')) return text;
			if (char === "$") text += this.dollar(true);
			else if (char === "`") text += this.backticks();
			else if (char === "\\" && /[$`"\\\n]/.test(source.peek(1))) text += this.escaped();
			else text += source.next();
		}
		return unclosed("quote");
	}

	private dollar(isQuoted: boolean): string {
		if (++this.depth > MAX_DEPTH) throw new Unread("expansions within expansions, too deep");
		const text = this.expanded(isQuoted);
		this.depth -= 1;
		return text;
	}

	private expanded(isQuoted: boolean): string {
		const { source } = this;
		source.at += 1;
		if (!isQuoted && source.take("'")) return ansiQuoted(source) ?? unclosed("quote");
		if (!isQuoted && source.peek() === '"') return this.double();
		if (source.take("((")) {
			if (this.arithmetic()) return ANY;
			source.at -= 2;
			this.mistake();
		}
		if (source.take("(")) {
			this.deps.onCommands();
			return ANY;
		}
		if (source.take("{")) return this.parameter(isQuoted);
		return source.match(/[A-Za-z_]\w*|[0-9@*#?!$-]/y) === "" ? "$" : ANY;
	}

	/** `${...}` up to its brace. Between double quotes a single one is a character like others. */
	private parameter(isQuoted: boolean): string {
		const { source } = this;
		if (/[\s|]/.test(source.peek())) throw new Unread("commands within braces");
		for (let depth = 1; !source.isOver; ) {
			const char = source.peek();
			if (char === "\\") source.at += 2;
			else if (char === "'" && !isQuoted) this.single();
			else if (char === '"') this.double();
			else if (char === "$") this.dollar(isQuoted);
			else if (char === "`") this.backticks();
			else {
				source.at += 1;
				if (char === "{") depth += 1;
				if (char === "}") depth -= 1;
				if (depth === 0 && source.text.slice(source.at - 3, source.at) === "@P}")
					throw new Unread("a text that is run as a prompt");
				if (depth === 0) return ANY;
			}
		}
		return unclosed("brace");
	}

	private backticks(): string {
		const { source } = this;
		source.at += 1;
		let script = "";
		while (!source.isOver) {
			const char = source.next();
			if (char === "`") {
				this.deps.onText(script);
				return ANY;
			}
			script += char === "\\" && /[\\`$]/.test(source.peek()) ? source.next() : char;
		}
		return unclosed("backtick");
	}

	private glob(): string {
		this.source.at += 1;
		return ANY;
	}
}

function unclosed(what: string): never {
	throw new Unread(`a ${what} is never closed`);
}

const ASSIGNMENT = /^([A-Za-z_]\w*)(?:\[[^\]]*\])?\+?=/;

/** The variable that the word sets when it stands before a command; undefined: none. */
export function assignedBy({ text, bareChars }: Word): string | undefined {
	const [whole = "", name] = ASSIGNMENT.exec(text) ?? [];
	return name !== undefined && whole.length <= bareChars && !whole.includes(ANY) ? name : undefined;
}

/** Whether a parenthesis behind the word is that of an array. */
export function isArrayStart({ text, bareChars }: Word): boolean {
	return text.endsWith("=") && bareChars === text.length;
}

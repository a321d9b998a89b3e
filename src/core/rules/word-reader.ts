/**
 * Reads the words of a script as bash does: quotes are removed, and what bash would expand is `ANY`. Commands within a word,
 * as in `$(date)`, are handed to `onCommands`.
 */
import type { Characters } from "./characters.ts";
import { ANY } from "./pattern.ts";

export interface Word {
	readonly text: string;
	/** Nothing of it was quoted: it may be a word of the shell's own. */
	readonly isBare: boolean;
	/** How many characters at its beginning were not quoted, and are known. */
	readonly bareChars: number;
}

/** What cannot be read; it is the reason. */
export class Unread extends Error {}

export interface WordReaderDeps {
	/** Reads commands up to the closing parenthesis, and goes past it. */
	readonly onCommands: () => void;
	/** Commands in a text of their own. */
	readonly onText: (script: string) => void;
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", "\\": "\\", "'": "'", '"': '"' };
const MAX_DEPTH = 30;
const MAX_MISTAKEN = 8;
const META = /[ \t\n;&|<>()]/;

export class WordReader {
	private readonly source: Characters;
	private readonly deps: WordReaderDeps;
	private depth = 0;
	/** How often `$((` was no computation: what is behind it is read twice. */
	private mistaken = 0;

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
		let hasBrace = false;
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
				hasBrace ||= char === "{";
				text += source.next();
			}
		}
		const isBare = bareChars === undefined;
		return { text: hasBrace ? withoutBraces(text) : text, isBare, bareChars: bareChars ?? text.length };
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

	private escaped(): string {
		this.source.at += 1;
		const char = this.source.next();
		return char === "\n" ? "" : char;
	}

	private single(): string {
		const { source } = this;
		const end = source.text.indexOf("'", source.at + 1);
		if (end < 0) throw new Unread("a quote is never closed");
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
		throw new Unread("a quote is never closed");
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
		if (!isQuoted && source.peek() === "'") return this.ansiQuoted();
		if (!isQuoted && source.peek() === '"') return this.double();
		if (source.take("((")) {
			if (this.arithmetic()) return ANY;
			if (++this.mistaken > MAX_MISTAKEN) throw new Unread("too many parentheses");
			source.at -= 2;
		}
		if (source.take("(")) {
			this.deps.onCommands();
			return ANY;
		}
		if (source.take("{")) return this.parameter(isQuoted);
		return source.match(/[A-Za-z_]\w*|[0-9@*#?!$-]/y) === "" ? "$" : ANY;
	}

	/** `$'...'`, which is not worked out where it has numbers of characters. */
	private ansiQuoted(): string {
		const { source } = this;
		source.at += 1;
		let text = "";
		let isKnown = true;
		while (!source.isOver) {
			const char = source.next();
			if (char === "'") return isKnown ? text : ANY;
			const escaped = char === "\\" ? ESCAPES[source.next()] : char;
			isKnown &&= escaped !== undefined;
			text += escaped ?? "";
		}
		throw new Unread("a quote is never closed");
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
				if (depth === 0) return ANY;
			}
		}
		throw new Unread("a brace is never closed");
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
		throw new Unread("a backtick is never closed");
	}

	private glob(): string {
		this.source.at += 1;
		return ANY;
	}
}

/** A word with `{a,b}` or `{1..3}` becomes several. */
function withoutBraces(text: string): string {
	return text.replace(/\{[^{}]*(?:,|\.\.).*\}/, ANY);
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

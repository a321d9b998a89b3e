/**
 * Bold, inline code and links within one line. Only `**` is bold: `_` and `*` are more often names and patterns in what
 * agents write. Every search goes on from where the one before it ended, so the work is proportional to the line.
 */
import type { Style } from "./line.ts";
import type { Part } from "./styled-line.ts";

export interface InlineOptions {
	/** Where in the source the line begins. */
	readonly from: number;
	/** Markup that is open at the end of the line counts as closed there. */
	readonly isOpen: boolean;
	/** The style of what is not marked up. */
	readonly style: Style;
}

/** A piece of the line: text, or a mark that is not shown when it is one of a pair. */
type Token =
	| { readonly is: "text"; readonly from: number; readonly to: number; readonly style?: Style }
	/** `isShown` becomes false when its other half is found. */
	| { readonly is: "stars"; readonly from: number; readonly to: number; isShown: boolean }
	| { readonly is: "bracket"; readonly from: number; readonly to: number; isShown: boolean }
	| { readonly is: "address"; readonly from: number; readonly to: number; readonly text: string };

export function inlineParts(line: string, options: InlineOptions): Part[] {
	const { from, isOpen, style } = options;
	if (!/[`*[]/.test(line)) return line === "" ? [] : [{ text: line, style, from }];
	const tokens = new Tokens(line, isOpen).all();
	pairStars(tokens, line, isOpen);
	const spans: Span[] = [];
	let isBold = false;
	for (const token of tokens) {
		if (token.is === "stars" && !token.isShown) isBold = !isBold;
		if (token.is === "address" ? token.text === "" : token.is !== "text" && !token.isShown) continue;
		const own = token.is === "text" ? token.style : token.is === "address" ? "dim" : undefined;
		const span = { from: token.from, to: token.to, style: own ?? (isBold ? strongOf(style) : style) };
		add(spans, token.is === "address" ? { ...span, text: token.text } : span);
	}
	return spans.map(({ from: at, to, text, ...span }) => {
		const part = { text: text ?? line.slice(at, to), style: span.style, from: from + at };
		return text === undefined ? part : { ...part, isReplaced: true };
	});
}

interface Span {
	readonly from: number;
	to: number;
	readonly style: Style;
	/** Shown in place of what stands there. */
	readonly text?: string;
}

/** Joins it to the last one when it goes on there in the same style. */
function add(spans: Span[], span: Span): void {
	const last = spans.at(-1);
	const goesOn = last?.to === span.from && last.style === span.style;
	if (goesOn && last.text === undefined && span.text === undefined) last.to = span.to;
	else spans.push(span);
}

function strongOf(style: Style): Style {
	return style === "plain" ? "strong" : style;
}

class Tokens {
	private readonly line: string;
	private readonly isOpen: boolean;
	private readonly tokens: Token[] = [];
	/** For each run of backticks, by where it begins: the next run that is as long. */
	private readonly nextRun: ReadonlyMap<number, number>;
	private open: Extract<Token, { is: "bracket" }> | undefined;
	private at = 0;

	constructor(line: string, isOpen: boolean) {
		this.line = line;
		this.isOpen = isOpen;
		this.nextRun = nextRuns(line);
	}

	all(): Token[] {
		const mark = /`+|\*{2,3}|\[|\]\(/g;
		for (let found = mark.exec(this.line); found !== null; found = mark.exec(this.line)) {
			const { index, 0: text } = found;
			if (text.startsWith("`")) this.code(index, text.length);
			else if (text.startsWith("*")) this.put({ is: "stars", from: index, to: index + text.length, isShown: true });
			else if (text === "[") this.bracket(index);
			else this.address(index);
			mark.lastIndex = Math.max(this.at, index + text.length);
		}
		this.text(this.line.length);
		return this.tokens;
	}

	private put(token: Token): void {
		this.text(token.from);
		this.tokens.push(token);
		this.at = token.to;
	}

	private text(to: number, style?: Style): void {
		if (to > this.at) this.tokens.push({ is: "text", from: this.at, to, ...(style && { style }) });
		this.at = Math.max(this.at, to);
	}

	private code(index: number, length: number): void {
		const end = this.nextRun.get(index) ?? (this.isOpen ? this.line.length : undefined);
		if (end === undefined) return; // shown as it is
		this.text(index);
		this.at = index + length;
		this.text(end, "code");
		this.at = Math.min(this.line.length, end + length);
	}

	private bracket(index: number): void {
		this.open = { is: "bracket", from: index, to: index + 1, isShown: true };
		this.put(this.open);
	}

	/** `](address)` behind the newest bracket. */
	private address(index: number): void {
		const { open, line } = this;
		const end = open === undefined ? undefined : addressEnd(line, index + 2);
		if (open === undefined || end === undefined) return;
		this.open = undefined;
		open.isShown = false;
		const address = line.slice(index + 2, end);
		const isSaid = address === "" || line.slice(open.to, index) === address;
		this.put({ is: "address", from: index, to: end + 1, text: isSaid ? "" : ` (${address})` });
	}
}

function nextRuns(line: string): ReadonlyMap<number, number> {
	const next = new Map<number, number>();
	const newest = new Map<number, number>();
	for (const { index, 0: run } of line.matchAll(/`+/g)) {
		const before = newest.get(run.length);
		if (before !== undefined) next.set(before, index);
		newest.set(run.length, index);
	}
	return next;
}

/** Where the `)` of an address stands; undefined when it is none. No two searches pass the same character. */
function addressEnd(line: string, from: number): number | undefined {
	let depth = 0;
	for (let at = from; at < line.length; at++) {
		const character = line[at] ?? "";
		if (character === ")" && depth-- === 0) return at;
		if (character === "(") depth++;
		if (/[\s[\]<>`*]/.test(character)) return undefined;
	}
	return undefined;
}

/** Two stars and the next ones that can close them are not shown. */
function pairStars(tokens: readonly Token[], line: string, isOpen: boolean): void {
	let opener: Extract<Token, { is: "stars" }> | undefined;
	for (const token of tokens) {
		if (token.is !== "stars") continue;
		if (opener !== undefined && mayClose(line, token)) {
			opener.isShown = token.isShown = false;
			opener = undefined;
		} else if (opener === undefined && mayOpen(line, token)) opener = token;
	}
	if (!isOpen) return;
	if (opener !== undefined) opener.isShown = false;
	const last = tokens.at(-1);
	if (last?.is === "stars" && last.to === line.length) last.isShown = false; // its other half is still to come
}

interface Place {
	readonly from: number;
	readonly to: number;
}

/** Not within a word, a path or a pattern, and with something behind it that is no pattern either. */
function mayOpen(line: string, { from, to }: Place): boolean {
	return !/[\w/\\.$]/.test(line[from - 1] ?? " ") && /[^\s/*.,;:!?)\]}]/.test(line[to] ?? " ");
}

function mayClose(line: string, { from, to }: Place): boolean {
	return /[^\s/\\]/.test(line[from - 1] ?? " ") && !/[\w/\\*]/.test(line[to] ?? " ");
}

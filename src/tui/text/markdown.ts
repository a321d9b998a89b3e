/**
 * Markdown as lines for a terminal: headings, lists and quotes with hanging indents, code as it is, bold, inline code and
 * links. It is light on purpose: what is no whole markup of these is shown as it stands, so nothing is lost, and line ends
 * stay where the author set them. The work is proportional to the text, even on hostile input.
 */
import { indentOf, type Part, type Style, type StyledLine } from "./line.ts";

interface MarkdownOptions {
	/** The text is still growing: markup that is open at its end counts as closed there, so that it does not flicker. */
	readonly isOpen: boolean;
	readonly fence?: Fence | undefined;
}

const CODE_INDENT = 2;
const FENCE = /^ {0,12}(`{3,}|~{3,})([^`]*)$/;
const HEADING = /^ {0,3}#{1,6}[ \t]+(?=\S)/;
const ITEM = /^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+(?=\S)/;
const QUOTE = /^[ \t]*(?:>[ \t]?)+/;
const RULE = /^ {0,3}(?:-[ \t]*){3,}$|^ {0,3}(?:\*[ \t]*){3,}$|^ {0,3}(?:_[ \t]*){3,}$/;

/** What code begins with: a line of backticks or tildes. It ends with one that is at least as long. */
export interface Fence {
	readonly mark: string;
	readonly indent: number;
}

/** The lines of a text that is safe for a terminal already. */
export function markdownLines(text: string, { isOpen, fence: begun }: MarkdownOptions): StyledLine[] {
	const lines: StyledLine[] = [];
	let fence = begun;
	let from = 0;
	for (const line of text.split("\n")) {
		const isLast = from + line.length >= text.length;
		const next = fenceAfter(line, fence);
		if (next === fence)
			lines.push(fence === undefined ? lineOf(line, from, isOpen && isLast) : codeLine(line, from, fence));
		fence = next;
		from += line.length + 1;
	}
	return lines;
}

/** For a text that is read in parts: the code within which a place in it is. The text is looked through at the first question. */
export function fencesIn(text: string): (at: number) => Fence | undefined {
	let changes: { readonly at: number; readonly fence: Fence | undefined }[] | undefined;
	return (at) => {
		changes ??= fenceChanges(text);
		return changes.findLast((change) => change.at < at)?.fence;
	};
}

function fenceChanges(text: string): { at: number; fence: Fence | undefined }[] {
	const changes: { at: number; fence: Fence | undefined }[] = [];
	let fence: Fence | undefined;
	for (const { index, 0: line } of text.matchAll(/^ {0,12}(?:`{3}|~{3}).*$/gm)) {
		const next = fenceAfter(line, fence);
		if (next !== fence) changes.push({ at: index, fence: next });
		fence = next;
	}
	return changes;
}

/** The same one for a line that neither opens nor closes code. */
export function fenceAfter(line: string, fence: Fence | undefined): Fence | undefined {
	if (fence === undefined) return fenceOf(line);
	return closes(line, fence) ? undefined : fence;
}

function fenceOf(line: string): Fence | undefined {
	const mark = FENCE.exec(line)?.[1];
	return mark === undefined ? undefined : { mark, indent: indentOf(line) };
}

/** The same mark, at least as long, and nothing behind it. */
function closes(line: string, { mark }: Fence): boolean {
	const text = line.trim();
	return text.length >= mark.length && text.startsWith(mark) && text === (mark[0] ?? "").repeat(text.length);
}

function codeLine(line: string, from: number, { indent }: Fence): StyledLine {
	let cut = 0;
	while (cut < indent && line[cut] === " ") cut++;
	const text = line.slice(cut);
	return {
		parts: [
			{ text: " ".repeat(CODE_INDENT), style: "plain", from, isReplaced: true },
			{ text, style: "code", from: from + cut },
		],
		...{ from, hang: CODE_INDENT + indentOf(text), isVerbatim: true },
	};
}

function lineOf(line: string, from: number, isOpen: boolean): StyledLine {
	const heading = HEADING.exec(line)?.[0];
	if (heading !== undefined) {
		const text = line.slice(heading.length).replace(/[ \t]#+[ \t]*$/, "");
		return { parts: inlineParts(text, { from: from + heading.length, isOpen, style: "heading" }), from, hang: 0 };
	}
	if (RULE.test(line)) return { parts: [{ text: line, style: "dim", from }], from, hang: 0 };
	if (/^[ \t]*\|/.test(line)) return { parts: [{ text: line, style: "plain", from }], from, hang: 0, isVerbatim: true };
	const before = (ITEM.exec(line) ?? QUOTE.exec(line))?.[0] ?? "";
	const style = before.includes(">") ? "dim" : "plain";
	const parts = inlineParts(line.slice(before.length), { from: from + before.length, isOpen, style: "plain" });
	if (before === "") return { parts, from, hang: indentOf(line) };
	return { parts: [{ text: before, style, from }, ...parts], from, hang: hangOf(before) };
}

/** The columns that the text takes: the bullet of an item counts as a blank. */
function hangOf(before: string): number {
	return indentOf(before.replace(/[^\t]/g, " "));
}

/**
 * Bold, inline code and links within one line. Only `**` is bold: `_` and `*` are more often names and patterns in what
 * agents write. Every search goes on from where the one before it ended, so the work is proportional to the line.
 */

interface InlineOptions {
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

/**
 * Markdown as lines for a terminal: headings, lists and quotes with hanging indents, code as it is, bold, inline code and
 * links. It is light on purpose: what is no whole markup of these is shown as it stands, so nothing is lost, and line ends
 * stay where the author set them. The work is proportional to the text, also on hostile input.
 */
import { inlineParts } from "./markdown-inline.ts";
import { indentOf, type StyledLine } from "./styled-line.ts";

export interface MarkdownOptions {
	/** The text goes on growing: markup that is open at its end counts as closed there, so that it does not flicker. */
	readonly isOpen: boolean;
}

const CODE_INDENT = 2;
const FENCE = /^ {0,12}(`{3,}|~{3,})([^`]*)$/;
const HEADING = /^ {0,3}#{1,6}[ \t]+(?=\S)/;
const ITEM = /^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+(?=\S)/;
const QUOTE = /^[ \t]*(?:>[ \t]?)+/;
const RULE = /^ {0,3}(?:-[ \t]*){3,}$|^ {0,3}(?:\*[ \t]*){3,}$|^ {0,3}(?:_[ \t]*){3,}$/;

interface Fence {
	readonly mark: string;
	readonly indent: number;
}

/** The lines of a text that is safe for a terminal already. */
export function markdownLines(text: string, { isOpen }: MarkdownOptions): StyledLine[] {
	const lines: StyledLine[] = [];
	let fence: Fence | undefined;
	let from = 0;
	for (const line of text.split("\n")) {
		const isLast = from + line.length >= text.length;
		const opened = fence === undefined ? fenceOf(line) : undefined;
		if (fence !== undefined && closes(line, fence)) fence = undefined;
		else if (fence !== undefined) lines.push(codeLine(line, from, fence));
		else if (opened !== undefined) fence = opened;
		else lines.push(lineOf(line, from, isOpen && isLast));
		from += line.length + 1;
	}
	return lines;
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

/** Without the indent of its fence. */
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

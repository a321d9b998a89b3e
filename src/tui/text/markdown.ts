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
	/** The code within which the text begins. */
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

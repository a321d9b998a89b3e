/**
 * A file's bytes as text and back, and the text as lines with their ends, so that what is not changed stays byte for byte. Pure.
 */
import { isUtf8 } from "node:buffer";
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from "diff";

export interface FileText {
	readonly is: "text";
	readonly text: string;
	/** The bytes begin with a mark of their encoding, which is no part of the text. */
	readonly hasMark: boolean;
	/** The file is not UTF-8: each character stands for a byte, which may be a part of one. */
	readonly isByteForByte: boolean;
	/** Why text from outside cannot be put into the file; undefined when it can. */
	readonly whyNot: (given: string) => string | undefined;
	readonly bytesOf: (text: string) => Buffer;
}

const UTF8_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const UTF16_MARKS = [Buffer.from([0xff, 0xfe]), Buffer.from([0xfe, 0xff])];

/** A file has one encoding afterwards: into one that is not UTF-8 goes only ASCII, and what is not made of ASCII's bytes is no text here. */
export function fileTextOf(bytes: Buffer): FileText | { readonly is: "no_text"; readonly why: string } {
	const latin1 = bytes.toString("latin1");
	const convert = "change a copy in UTF-8 and convert it with iconv";
	if (UTF16_MARKS.some((mark) => startsWith(bytes, mark)))
		return { is: "no_text", why: `it is UTF-16 or UTF-32, which is not supported: ${convert}` };
	if (bytes.includes(0)) {
		const why = `it is not text, or UTF-16: it has a NUL at byte ${bytes.indexOf(0) + 1}`;
		return { is: "no_text", why: `${why}; ${convert}, or use another program` };
	}
	if (/\x1b\$[@B]/.test(latin1)) return { is: "no_text", why: `it is ISO-2022-JP, which is not supported: ${convert}` };
	if (!isUtf8(bytes))
		return {
			...{ is: "text", text: latin1, hasMark: false, isByteForByte: true },
			whyNot: (given) => onlyAscii(latin1, given),
			bytesOf: (changed) => Buffer.from(changed, "latin1"),
		};
	const mark = startsWith(bytes, UTF8_MARK) ? UTF8_MARK : Buffer.alloc(0);
	return {
		...{ is: "text", text: bytes.subarray(mark.length).toString("utf8"), hasMark: mark.length > 0 },
		...{ isByteForByte: false, whyNot: () => undefined },
		bytesOf: (changed) => Buffer.concat([mark, Buffer.from(changed, "utf8")]),
	};
}

function startsWith(bytes: Buffer, mark: Buffer): boolean {
	return bytes.subarray(0, mark.length).equals(mark);
}

function onlyAscii(latin1: string, given: string): string | undefined {
	const [other] = /[^\0-\x7f]/u.exec(given) ?? [];
	if (other === undefined) return undefined;
	const line = latin1.split("\n").findIndex((text) => !isUtf8(Buffer.from(text, "latin1"))) + 1;
	const only = `${JSON.stringify(other)} cannot be written to it, only ASCII`;
	return `it is not UTF-8, first at line ${line}: ${only}; for a copy that takes any text: iconv -f ENCODING -t UTF-8`;
}

/** A text as lines with their ends, so that a change of some leaves the ends of all others as they are. Pure. */
export interface TextLine {
	readonly text: string;
	/** `\n`, `\r\n`, `\r`, or nothing at the end of a text whose last line is not ended. */
	readonly end: string;
}

/** A `\r` alone ends lines only in a text that has no `\n`: else it is what a terminal was told, and stays in its line. */
export function linesOf(text: string): TextLine[] {
	const pattern = text.includes("\n") ? /([^\n]*)(\n|$)/g : /([^\r]*)(\r|$)/g;
	return [...text.matchAll(pattern)].flatMap(([whole, line = "", end = ""]) => {
		if (whole === "") return [];
		const isPair = end === "\n" && line.endsWith("\r");
		return [isPair ? { text: line.slice(0, -1), end: "\r\n" } : { text: line, end }];
	});
}

export function joinLines(lines: readonly TextLine[]): string {
	return lines.map(({ text, end }) => text + end).join("");
}

/** The end that most lines have; `\n` for a text without any. */
export function usualEnd(lines: readonly TextLine[]): string {
	const counts = new Map<string, number>();
	for (const { end } of lines) if (end !== "") counts.set(end, (counts.get(end) ?? 0) + 1);
	const [most] = [...counts].sort(([, a], [, b]) => b - a);
	return most?.[0] ?? "\n";
}

/** The text with the line end that is usual in `model` in the place of its own; as it is when `model` has no line ends. */
export function withEndsOf(text: string, model: string): string {
	const ends = linesOf(model).filter(({ end }) => end !== "");
	return ends.length === 0 ? text : text.replace(/\r?\n/g, usualEnd(ends));
}

const CONTEXT_LINES = 3;
const MOST_LINES = 200;
/** Texts that have more than so many lines in difference are not compared further. */
const MOST_CHANGES = 2_000;

/** Two texts of a file as a unified diff. */
export function differenceOf(name: string, { before, after }: { before: string; after: string }): string {
	const [old, now] = [withPlainEnds(before), withPlainEnds(after)];
	const options = { context: CONTEXT_LINES, maxEditLength: MOST_CHANGES, headerOptions: FILE_HEADERS_ONLY };
	const patch = createTwoFilesPatch(name, name, old, now, undefined, undefined, options);
	if (patch === undefined) return `${name} has changed completely\n`;
	const lines = patch.replaceAll("\r", "").split("\n");
	if (lines.at(-1) === "") lines.pop();
	const left = lines.length - MOST_LINES;
	const shown = left > 0 ? [...lines.slice(0, MOST_LINES), `… ${left} more lines`] : lines;
	return `${shown.join("\n")}\n`;
}

function withPlainEnds(text: string): string {
	return joinLines(linesOf(text).map((line) => (line.end === "" ? line : { ...line, end: "\n" })));
}

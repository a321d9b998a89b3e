/** Two texts of a file as a unified diff, for the one who changed it. */
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from "diff";
import { joinLines, linesOf } from "./text-lines.ts";

const CONTEXT_LINES = 3;
const MOST_LINES = 200;
/** Texts that have more than so many lines in difference are not compared further. */
const MOST_CHANGES = 2_000;

export function differenceOf(name: string, { before, after }: { before: string; after: string }): string {
	const options = { context: CONTEXT_LINES, maxEditLength: MOST_CHANGES, headerOptions: FILE_HEADERS_ONLY };
	const patch = createTwoFilesPatch(
		name,
		name,
		withPlainEnds(before),
		withPlainEnds(after),
		undefined,
		undefined,
		options,
	);
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

/** Two texts of a file as a unified diff, for the one who changed it. */
import { createTwoFilesPatch } from "diff";

const CONTEXT_LINES = 3;
const MOST_LINES = 200;
/** Texts that have more than so many lines in difference are not compared further. */
const MOST_CHANGES = 2_000;

export function differenceOf(name: string, { before, after }: { before: string; after: string }): string {
	const options = { context: CONTEXT_LINES, maxEditLength: MOST_CHANGES };
	const patch = createTwoFilesPatch(name, name, before, after, undefined, undefined, options);
	if (patch === undefined) return `${name} is changed throughout\n`;
	const lines = patch
		.replace(/^(Index: .*\n)?=+\n/, "")
		.replaceAll("\r", "")
		.split("\n");
	if (lines.at(-1) === "") lines.pop();
	const left = lines.length - MOST_LINES;
	const shown = left > 0 ? [...lines.slice(0, MOST_LINES), `… ${left} more lines`] : lines;
	return `${shown.join("\n")}\n`;
}

/**
 * What `agent edit` reads: blocks of an old and a new text.
 *
 *     <<<<<<< SEARCH
 *     old lines
 *     =======
 *     new lines
 *     >>>>>>> REPLACE
 *
 * A block whose texts have such lines themselves is written with more of each mark: eight, nine … Pure.
 */
export interface EditBlock {
	readonly old: readonly string[];
	readonly new: readonly string[];
	/** The line of the input at which the block begins, counted from 1. */
	readonly line: number;
}

export type ReadBlocks =
	| { readonly is: "blocks"; readonly blocks: readonly EditBlock[] }
	| { readonly is: "wrong"; readonly why: string };

type Mark = "begin" | "middle" | "end";

interface OpenBlock {
	readonly line: number;
	readonly marks: number;
	readonly old: string[];
	readonly new: string[];
	isPastMiddle: boolean;
}

const NOTHING = "no block on stdin: <<<<<<< SEARCH, the old lines, =======, the new lines, >>>>>>> REPLACE";

export function readBlocks(input: string): ReadBlocks {
	const blocks: EditBlock[] = [];
	let open: OpenBlock | undefined;
	const lines = input
		.replace(/^\ufeff/, "")
		.replaceAll("\r\n", "\n")
		.split("\n");
	for (const [index, text] of lines.entries()) {
		const line = index + 1;
		const found = markOf(text);
		if (open === undefined) {
			if (found?.mark === "begin") open = { line, marks: found.marks, old: [], new: [], isPastMiddle: false };
			else if (text.trim() !== "")
				return wrong(`line ${line} is outside any block: ${JSON.stringify(text.slice(0, 60))}`);
			continue;
		}
		const mark = found?.marks === open.marks ? found.mark : undefined;
		const why = misplaced(mark, open, line);
		if (why !== undefined) return wrong(why);
		if (mark === "middle") open.isPastMiddle = true;
		else if (mark !== "end") (open.isPastMiddle ? open.new : open.old).push(text);
		else {
			blocks.push({ old: open.old, new: open.new, line: open.line });
			open = undefined;
		}
	}
	if (open !== undefined)
		return wrong(`the block of line ${open.line} has no end: ${marksOf(">", open.marks)} REPLACE`);
	return blocks.length === 0 ? wrong(NOTHING) : { is: "blocks", blocks };
}

function misplaced(mark: Mark | undefined, open: OpenBlock, line: number): string | undefined {
	const more = `if it is part of the text, write the block's markers with ${open.marks + 1} characters`;
	if (mark === "begin") return `line ${line} starts a block inside the block of line ${open.line}; ${more}`;
	if (mark === "middle" && open.isPastMiddle)
		return `line ${line} is a second divider in the block of line ${open.line}; ${more}`;
	if (mark !== "end") return undefined;
	if (!open.isPastMiddle)
		return `the block of line ${open.line} has no ${marksOf("=", open.marks)} between old and new`;
	return open.old.length === 0 || open.old.every((text) => text === "")
		? `the block of line ${open.line} has no old text; to create a file: agent write FILE`
		: undefined;
}

function markOf(text: string): { mark: Mark; marks: number } | undefined {
	const found = /^(?:(<{7,}) SEARCH|(={7,})|(>{7,}) REPLACE)\s*$/.exec(text);
	if (found === null) return undefined;
	const [, begin, middle, end] = found;
	if (begin !== undefined) return { mark: "begin", marks: begin.length };
	if (middle !== undefined) return { mark: "middle", marks: middle.length };
	return { mark: "end", marks: end?.length ?? 0 };
}

function marksOf(character: string, count: number): string {
	return character.repeat(count);
}

function wrong(why: string): ReadBlocks {
	return { is: "wrong", why };
}

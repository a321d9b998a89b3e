import { joinLines, linesOf, type TextLine, usualEnd } from "./file-text.ts";

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

export type Applied =
	| { readonly is: "changed"; readonly text: string }
	/** `line`: of the block in the input. */
	| { readonly is: "refused"; readonly line: number; readonly why: string };

const MOST_PLACES_NAMED = 5;

/** `isByteForByte`: what follows a character that is not of ASCII may be a part of it. */
export function applyBlocks(text: string, blocks: readonly EditBlock[], isByteForByte = false): Applied {
	let changed = text;
	for (const block of blocks) {
		const next = applyBlock(changed, block, isByteForByte);
		if (next.is === "refused") return next;
		changed = next.text;
	}
	return { is: "changed", text: changed };
}

/** Whole lines are looked for first; only a text that is no whole lines is looked for inside of lines. */
function applyBlock(text: string, block: EditBlock, isByteForByte: boolean): Applied {
	const lines = linesOf(text);
	const places = placesOf(
		lines.map((line) => line.text),
		block.old,
	);
	const [place] = places;
	if (place !== undefined && places.length === 1) return { is: "changed", text: withLines(lines, place, block) };
	if (places.length > 1) return refused(block, severalPlaces(places.map((index) => index + 1)));
	const inside = applyInside(text, lines, block);
	if (inside.is === "refused" || !isByteForByte || !/[^\0-\x7f]/.test(text[inside.at - 1] ?? "")) return inside;
	return refused(block, "its old text may start inside a character: start it after an ASCII character");
}

function placesOf(lines: readonly string[], sought: readonly string[]): number[] {
	const places: number[] = [];
	const [first] = sought;
	for (let index = lines.indexOf(first ?? ""); index >= 0; index = lines.indexOf(first ?? "", index + 1))
		if (sought.every((text, offset) => lines[index + offset] === text)) places.push(index);
	return places;
}

/** The last of the new lines ends as the last of the old ones did. */
function withLines(lines: readonly TextLine[], place: number, block: EditBlock): string {
	const end = usualEnd(lines);
	const behind = place + block.old.length;
	const lastEnd = lines[behind - 1]?.end ?? end;
	const added = block.new.map((text, index) => ({ text, end: index === block.new.length - 1 ? lastEnd : end }));
	return joinLines([...lines.slice(0, place), ...added, ...lines.slice(behind)]);
}

type AppliedInside = Extract<Applied, { is: "refused" }> | { is: "changed"; text: string; at: number };

function applyInside(text: string, lines: readonly TextLine[], block: EditBlock): AppliedInside {
	const end = usualEnd(lines);
	const old = block.old.join(end);
	const at = text.indexOf(old);
	if (at < 0) return refused(block, notFound(lines, block));
	const places: number[] = [];
	for (let found = at; found >= 0 && places.length <= MOST_PLACES_NAMED; found = text.indexOf(old, found + 1))
		places.push(linesOf(text.slice(0, found + 1)).length);
	if (places.length > 1) return refused(block, severalPlaces(places));
	return { is: "changed", at, text: text.slice(0, at) + block.new.join(end) + text.slice(at + old.length) };
}

function severalPlaces(lines: readonly number[]): string {
	const named = lines.slice(0, MOST_PLACES_NAMED).join(", ");
	const more = lines.length > MOST_PLACES_NAMED ? " …" : "";
	return `its old text occurs more than once, at lines ${named}${more}: add surrounding lines to make it unique`;
}

function notFound(lines: readonly TextLine[], block: EditBlock): string {
	const nearest = nearestPlace(
		lines.map(({ text }) => text),
		block.old,
	);
	if (nearest === undefined) return "its old text is not in the file, and nothing similar is";
	const { line, differs } = nearest;
	return [
		`its old text is not in the file; the closest match is at line ${line} and differs at line ${differs.line}:`,
		`  the file has  ${JSON.stringify(differs.found)}`,
		`  you gave      ${JSON.stringify(differs.sought)}`,
	].join("\n");
}

function refused({ line }: EditBlock, why: string): Extract<Applied, { is: "refused" }> {
	return { is: "refused", line, why };
}

/** Where a text is that was looked for and not found: the place of a file that has most of its lines. Pure. */
interface NearestPlace {
	/** The line at which it begins, counted from 1. */
	readonly line: number;
	/** The first line that is not as it was looked for, counted from 1, and both texts of it. */
	readonly differs: { readonly line: number; readonly found: string; readonly sought: string };
}

/** Shorter lines, such as brackets, are found everywhere and tell nothing. */
const LEAST_TELLING = 3;
const MOST_LINES_COMPARED = 50_000;

/** Undefined when nothing in the file is like it. */
function nearestPlace(lines: readonly string[], sought: readonly string[]): NearestPlace | undefined {
	const start = byEqualLines(lines, sought) ?? byLikeLine(lines, sought);
	if (start === undefined) return undefined;
	const index = sought.findIndex((text, offset) => lines[start + offset] !== text);
	const at = Math.max(0, index);
	const differs = { line: start + at + 1, found: lines[start + at] ?? "", sought: sought[at] ?? "" };
	return { line: start + 1, differs };
}

/** The start at which most lines are equal but for the white space around them. */
function byEqualLines(lines: readonly string[], sought: readonly string[]): number | undefined {
	const offsets = new Map<string, number[]>();
	for (const [offset, text] of sought.entries()) {
		const key = text.trim();
		if (key.length >= LEAST_TELLING) offsets.set(key, [...(offsets.get(key) ?? []), offset].slice(0, 10));
	}
	const votes = new Map<number, number>();
	for (const [index, text] of lines.entries())
		for (const offset of offsets.get(text.trim()) ?? []) {
			const start = index - offset;
			if (start >= 0) votes.set(start, (votes.get(start) ?? 0) + 1);
		}
	let best: number | undefined;
	for (const [start, count] of votes) if (count > (votes.get(best ?? -1) ?? 0)) best = start;
	return best;
}

/** The start at which the longest line that is looked for is most like the file's line there. */
function byLikeLine(lines: readonly string[], sought: readonly string[]): number | undefined {
	const longest = sought.reduce((best, text, index) => (text.length > (sought[best]?.length ?? 0) ? index : best), 0);
	const wanted = pairsOf(sought[longest] ?? "");
	let best: { start: number; likeness: number } | undefined;
	for (const [index, text] of lines.slice(0, MOST_LINES_COMPARED).entries()) {
		const likeness = likenessOf(pairsOf(text), wanted);
		if (likeness > 0.5 && likeness > (best?.likeness ?? 0)) best = { start: index - longest, likeness };
	}
	return best === undefined ? undefined : Math.max(0, best.start);
}

/** The pairs of neighboring characters. */
function pairsOf(text: string): Set<string> {
	const plain = text.trim().slice(0, 500);
	return new Set(Array.from({ length: Math.max(0, plain.length - 1) }, (_, index) => plain.slice(index, index + 2)));
}

/** From 0, nothing in common, to 1 (Dice's coefficient). */
function likenessOf(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
	if (a.size + b.size === 0) return 0;
	let common = 0;
	for (const pair of a) if (b.has(pair)) common++;
	return (2 * common) / (a.size + b.size);
}

/** Blocks applied to the text of a file, one after the other: all of them, or none. Pure. */
import type { EditBlock } from "./edit-blocks.ts";
import { nearestPlace } from "./nearest-place.ts";
import { joinLines, linesOf, type TextLine, usualEnd } from "./text-lines.ts";

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
	return refused(block, "its old text may be a part of the character before it: begin it at a place behind ASCII");
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
	return `its old text is there more than once, at the lines ${named}${more}: add lines around it until it is there once`;
}

function notFound(lines: readonly TextLine[], block: EditBlock): string {
	const nearest = nearestPlace(
		lines.map(({ text }) => text),
		block.old,
	);
	if (nearest === undefined) return "its old text is not in the file, and nothing in the file is like it";
	const { line, differs } = nearest;
	return [
		`its old text is not in the file; the nearest is at line ${line}, and differs at line ${differs.line}:`,
		`  the file has  ${JSON.stringify(differs.found)}`,
		`  you gave      ${JSON.stringify(differs.sought)}`,
	].join("\n");
}

function refused({ line }: EditBlock, why: string): Extract<Applied, { is: "refused" }> {
	return { is: "refused", line, why };
}

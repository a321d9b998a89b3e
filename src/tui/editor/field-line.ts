/** A text field in one line behind a prompt, such as the bar of the dashboard. Pure. */

import { displayWidth, fitWidth } from "../../text/width/width.ts";
import { type Line, type Segment, segment } from "../text/line.ts";
import { nextCharacter } from "./characters.ts";
import type { TextField } from "./text-field.ts";

const KEYS = "  enter, esc";

/** So many columns are for the text, however long the prompt is; on a narrow screen a third of all. */
const LEAST_ROOM = 12;

/** Of a text that is too long the part around the cursor is shown. What `esc` does is said as long as there is room. */
export function fieldLine(wholePrompt: string, { text, cursor: at }: TextField, columns: number): Line {
	const prompt = fitWidth(wholePrompt, columns - 1 - Math.min(LEAST_ROOM, Math.floor(columns / 3)));
	const room = Math.max(1, columns - displayWidth(prompt) - 1);
	const behind = nextCharacter(text, at);
	const under = inOneLine(text.slice(at, behind)) || " ";
	const cursorWidth = displayWidth(under);
	const shownBefore = lastColumns(inOneLine(text.slice(0, at)), room - cursorWidth);
	const left = room - displayWidth(shownBefore) - cursorWidth;
	const shownAfter = firstColumns(inOneLine(text.slice(behind)), left);
	const cursor: Segment = { text: under, style: "plain", isSelected: true };
	const hasRoom = displayWidth(shownAfter) + displayWidth(KEYS) <= left;
	return [
		segment(` ${prompt}`, "heading"),
		segment(shownBefore),
		cursor,
		segment(shownAfter),
		...(hasRoom ? [segment(KEYS, "dim")] : []),
	];
}

/** A line end of a paste is shown as a mark. */
function inOneLine(text: string): string {
	return text.replace(/\n/g, "⏎").replace(/\t/g, " ");
}

function lastColumns(text: string, columns: number): string {
	return withinColumns([...text].reverse(), columns)
		.reverse()
		.join("");
}

function firstColumns(text: string, columns: number): string {
	return withinColumns([...text], columns).join("");
}

function withinColumns(characters: readonly string[], columns: number): string[] {
	const fitting: string[] = [];
	let left = columns;
	for (const character of characters) {
		left -= displayWidth(character);
		if (left < 0) break;
		fitting.push(character);
	}
	return fitting;
}

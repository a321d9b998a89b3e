/** The choices of a completion as rows: in columns, or one a row with what is said beside it. Pure. */
import type { ShownLine } from "../../text/styled-line.ts";
import { cleanText } from "../../text/terminal-safe.ts";
import { displayWidth, fitWidth, padWidth } from "../../text/width.ts";
import type { Choosing } from "./choosing.ts";
import type { Choice } from "./editor.ts";

const GAP = 2;
const WIDEST_NAME = 40;
/** Of more choices the widths are not looked at: they are about as wide. */
const MOST_MEASURED = 500;

/** At most as many as asked for, those around the selected choice; the last one says how many more choices there are. */
export function choiceRows({ choices, selected }: Choosing, columns: number, most: number): ShownLine[] {
	if (most < 1) return [];
	const hasNotes = choices.some(({ note }) => note !== undefined);
	const room = Math.max(1, columns - 1);
	const measured = choices.slice(0, MOST_MEASURED).map((choice) => displayWidth(nameOf(choice)));
	const width = Math.min(room, hasNotes ? WIDEST_NAME : room, Math.max(1, ...measured) + GAP);
	const across = hasNotes ? 1 : Math.max(1, Math.floor(room / width));
	const total = Math.ceil(choices.length / across);
	const isCut = total > most && most > 1;
	const shown = isCut ? most - 1 : Math.min(most, total);
	const selectedRow = Math.floor((selected ?? 0) / across);
	const first = Math.max(0, Math.min(selectedRow - Math.floor(shown / 2), total - shown));
	const rows = Array.from({ length: shown }, (_, n) => {
		const from = (first + n) * across;
		return rowOf(choices.slice(from, from + across), { room, width, selected: (selected ?? -1) - from });
	});
	const rest = choices.length - Math.min(choices.length, shown * across);
	return isCut ? [...rows, { parts: [{ text: fitWidth(`… ${rest} more`, room), style: "dim" }] }] : rows;
}

interface RowShape {
	readonly room: number;
	readonly width: number;
	/** Which of the row is selected, if one is. */
	readonly selected: number;
}

function rowOf(choices: readonly Choice[], { room, width, selected }: RowShape): ShownLine {
	const parts = choices.flatMap((choice, n) => {
		const name = padWidth(nameOf(choice), width);
		const note = choice.note === undefined ? "" : fitWidth(cleanText(choice.note), room - width);
		const style = n === selected ? "strong" : "plain";
		return [{ text: name, style } as const, { text: note, style: "dim" } as const];
	});
	return { parts: parts.filter(({ text }) => text !== "") };
}

function nameOf({ text, label }: Choice): string {
	return cleanText(label ?? text).replace(/[\n\t]/g, " ");
}

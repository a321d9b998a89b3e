import { expect, test } from "vitest";
import { displayWidth } from "../../../../src/text/width/width.ts";
import { drawEditor } from "../../../../src/tui/editor/draw-editor.ts";
import { type Editor, messageOf, newEditor, withText } from "../../../../src/tui/editor/editor.ts";
import { press } from "../../../../src/tui/editor/press.ts";
import type { Key } from "../../../../src/tui/keys/key.ts";
import { cpuMs } from "../../cpu-ms.ts";
import { CONTEXT, keysOf, screenOf, shownText, type } from "./typing.ts";

const drawnAfter = (keys: string, columns = 12, mostRows = 5) => {
	const { editor } = type(newEditor([]), keys, { columns });
	const { cursor } = drawEditor(editor, columns, mostRows);
	return { rows: screenOf(editor, columns, mostRows), cursor: [cursor.row, cursor.column] };
};

test.each([
	["", ["> "], [0, 2]],
	["hello", ["> hello"], [0, 7]],
	["a<ctrl-j>b<ctrl-j>", ["> a", "  b", "  "], [2, 2]],
	["123456789", ["> 123456789"], [0, 11]],
	["123456789x", ["> 123456789", "  x"], [1, 3]],
	["123456789x<left>", ["> 123456789", "  x"], [1, 2]],
	["123456789x<left><left>", ["> 123456789", "  x"], [0, 10]],
	["漢字漢字漢", ["> 漢字漢字", "  漢"], [1, 4]],
	["e\u0301<left>", ["> é"], [0, 2]],
	["👩‍👩‍👧x", ["> 👩👩👧x"], [0, 9]],
	["ab<tab-character>", ["> ab  "], [0, 6]],
	["!ls", ["$ !ls"], [0, 5]],
	["!!ls", ["% !!ls"], [0, 6]],
	["1<ctrl-j>2<ctrl-j>3<ctrl-j>4<ctrl-j>5<ctrl-j>6<ctrl-j>7", ["↑ 3", "  4", "  5", "  6", "  7"], [4, 3]],
	["1<ctrl-j>2<ctrl-j>3<ctrl-j>4<ctrl-j>5<ctrl-j>6<ctrl-j>7<up><up><up>", ["↑ 2", "  3", "  4", "  5", "↓ 6"], [2, 3]],
	["1<ctrl-j>2<ctrl-j>3<ctrl-j>4<ctrl-j>5<ctrl-j>6<alt-lt>", ["> 1", "  2", "  3", "  4", "↓ 5"], [0, 2]],
])("%s is drawn as %j", (keys, rows, cursor) => {
	const written = keys.replace("<tab-character>", "\t");
	expect(drawnAfter(written)).toEqual({ rows, cursor });
});

test("a long paste is a mark", () => {
	const paste = (text: string): Key => ({ is: "paste", text });
	const { editor } = type(newEditor([]), [paste("x\n".repeat(500)), paste("y".repeat(12_345))]);
	expect(screenOf(editor, 80)).toEqual(["> [pasted 500 lines][pasted 12,345 characters]"]);
	expect(screenOf(editor, 12)).toEqual(["> [pasted …", "  [pasted …"]);
});

const PIECES = [
	"a",
	"bc ",
	"漢字",
	"👩‍👩‍👧",
	"e\u0301",
	"\u0301\u0302",
	"🇩🇪",
	"한",
	"\u1112\u1161\u11ab",
	"\t",
	"👍🏽",
	"\u200d",
	"नि",
	"ﷺ",
	"\u{100003}",
	"\ufe0f",
	"-",
];
const CHORDS = keysOf(
	"<left><right><up><down><home><end><alt-b><alt-f><backspace><delete><ctrl-k><ctrl-u><ctrl-w><alt-d><ctrl-y><alt-y><ctrl-_>" +
		"<ctrl-t><alt-t><alt-u><alt-c><alt-l><ctrl-j><alt-enter><ctrl-r><ctrl-s><ctrl-g><tab><shift-tab><escape><ctrl-x><alt-lt><alt-gt><ctrl-c><enter>",
);

/** A linear congruential generator: the same keys at each run. */
function diceOf(seed: number): (sides: number) => number {
	let state = seed;
	return (sides) => {
		state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
		return Math.floor((state / 2_147_483_648) * sides);
	};
}

function randomKey(dice: (sides: number) => number): Key {
	const piece = () => PIECES[dice(PIECES.length)] ?? "";
	const roll = dice(10);
	if (roll < 5) return { is: "text", text: piece() };
	if (roll === 5)
		return {
			is: "paste",
			text: Array.from({ length: dice(40) }, () => `${piece()}${piece()}`).join(dice(2) ? "\n" : " "),
		};
	return CHORDS[dice(CHORDS.length)] ?? { is: "focus", hasFocus: true };
}

function expectSound(editor: Editor, columns: number, mostRows: number): void {
	const { rows, cursor } = drawEditor(editor, columns, mostRows);
	expect(editor.cursor).toBeGreaterThanOrEqual(0);
	expect(editor.cursor).toBeLessThanOrEqual(editor.text.length);
	expect(messageOf(editor).isWellFormed()).toBe(true);
	expect(rows.length).toBeGreaterThan(0);
	expect(rows.length).toBeLessThanOrEqual(mostRows);
	for (const row of rows) {
		expect(displayWidth(shownText(row))).toBeLessThanOrEqual(columns);
		expect(shownText(row)).not.toMatch(/[\n\t\u0000-\u001f\u007f-\u009f]/);
	}
	expect(cursor.row).toBeLessThan(rows.length);
	expect(cursor.column).toBeLessThan(columns);
}

test("whatever is pressed, the cursor is in the text and on the screen, and no row is too wide", () => {
	for (let seed = 1; seed <= 60; seed++) {
		const dice = diceOf(seed);
		const columns = [1, 2, 5, 12, 40, 80][dice(6)] ?? 80;
		const mostRows = [1, 2, 3, 10][dice(4)] ?? 10;
		const completers = {
			...CONTEXT.completers,
			paths: () => [{ text: "a b" }, { text: "a 漢/", isPartial: true as const }],
		};
		let editor = newEditor(["one", "two\n漢字", "three"]);
		for (let n = 0; n < 120; n++) {
			editor = press(editor, randomKey(dice), { columns, queued: 0, completers }).editor;
			expectSound(editor, columns, mostRows);
		}
	}
});

test("a key in a long message costs little", () => {
	const texts = [
		"line of text\n".repeat(7_000),
		"x".repeat(99_000),
		"漢".repeat(49_000),
		"\u0301".repeat(90_000),
		"\t".repeat(20_000),
		"\n".repeat(90_000),
	];
	for (const text of texts) {
		let editor = withText(newEditor([]), text);
		const keys = keysOf("abc<up><up><left><down><backspace><ctrl-w><ctrl-y><home><alt-f><ctrl-_><end>x");
		const ms = cpuMs(() => {
			for (const key of keys) {
				editor = press(editor, key, CONTEXT).editor;
				drawEditor(editor, 80);
			}
		});
		expect(ms / keys.length, JSON.stringify(text.slice(0, 3))).toBeLessThan(500); // quadratic work takes seconds
	}
});

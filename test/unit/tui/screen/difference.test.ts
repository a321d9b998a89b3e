import { describe, expect, test } from "vitest";
import { agreedWidth } from "../../../../src/text/width/width.ts";
import { difference, type Frame, frameOf } from "../../../../src/tui/screen/cell-frame.ts";
import type { Line, Segment, Style } from "../../../../src/tui/text/line.ts";
import { Emulator } from "../../../fixtures/emulator.ts";
import { type Dice, diceOf } from "../../dice.ts";

const MANY: Parameters<typeof frameOf>[2] = { colors: "many", charset: "unicode" };
const line = (text: string, style: Style = "plain"): Line => [{ text, style }];

/** What is written for each of the frames, after the one before it. */
function written(lines: readonly (readonly Line[])[], columns: number, rows = 1, abilities = MANY): string[] {
	const frames = lines.map((one) => frameOf(one, { columns, rows }, abilities));
	return frames.map((frame, at) => difference(frames[at - 1], frame));
}

test("of a row only what has changed is written, where it stands", () => {
	const [, changed] = written(
		[
			[line("one"), line("twa 5 s")],
			[line("one"), line("two 6 s")],
		],
		20,
		2,
	);
	expect(changed).toBe("\u001b[2;3Ho\u001b[5G6");
});

test("a row that became short is erased, not written over with blanks", () => {
	const [, changed] = written([[line("a long line of words")], [line("a")]], 30);
	expect(changed).toBe("\u001b[1;3H\u001b[K");
	const [, little] = written([[line("abc")], [line("a")]], 30);
	expect(little).toBe("\u001b[1;2H  ");
});

describe("after many frames a terminal shows what it shows after the last alone", () => {
	const PLAIN = [
		"a",
		"run 1.2.3 ",
		"      ",
		"漢",
		"漢字かな",
		"한글",
		"│├▸● ",
		"━━━━",
		"…",
		"Z\u0300\u0301\u0302\u0303\u0304\u0305",
	];
	const DOUBTFUL = [
		"😀",
		"🚀🚀",
		"⌚",
		"x\u0301",
		"ก\u0e49",
		"\u0301",
		"👩🏽\u200d🚀",
		"❤\ufe0f",
		"🇩🇪",
		"\u1112\u1161",
		"1\ufe0f\u20e3",
	];
	const HOSTILE = [
		"\u001b[31mred",
		"a\nb\tc",
		"\u202eabc",
		"\u2028",
		"\ud800",
		"\ue0b0",
		"\u0600",
		"\u009b2J",
		"\u0000",
		"\u200b",
	];
	const TEXTS = [...PLAIN, ...DOUBTFUL, ...HOSTILE];
	const TONES: readonly Style[] = ["plain", "strong", "dim", "heading", "busy", "good", "bad", "warn", "alert"];

	function randomSegment(dice: Dice): Segment {
		const text = Array.from({ length: dice.roll(4) }, () => dice.pick(TEXTS)).join("");
		return { text, style: dice.pick(TONES) ?? "plain", isSelected: dice.roll(5) === 0 };
	}

	/** Mostly as before: some rows change in part, some move, some are others. */
	function nextLines(lines: readonly Line[], rows: number, dice: Dice): Line[] {
		const next = Array.from({ length: rows }, (_, y) => lines[y] ?? []);
		if (dice.roll(4) === 0) next.unshift([]);
		return next.map((one) => {
			const fate = dice.roll(6);
			if (fate === 0) return Array.from({ length: dice.roll(8) }, () => randomSegment(dice));
			if (fate === 1) return one.map((piece) => (dice.roll(3) === 0 ? randomSegment(dice) : piece));
			if (fate === 2) return one.slice(1);
			return one;
		});
	}

	const TERMINALS: readonly (readonly [string, (code: number) => number])[] = [
		["one that counts as we do", (code) => agreedWidth(code) ?? 1],
		[
			"one that draws emoji and marks in one column",
			(code) => (code > 0x2e7f && code < 0x10000 ? (agreedWidth(code) ?? 1) : 1),
		],
	];

	test.each(TERMINALS)("in %s", (_, widthOf) => {
		for (let seed = 0; seed < 20; seed++) {
			const dice = diceOf(seed);
			const abilities: Parameters<typeof frameOf>[2] = {
				colors: dice.pick(["none", "few", "many"] as const) ?? "many",
				charset: dice.roll(4) === 0 ? "ascii" : "unicode",
			};
			let size = { columns: 30, rows: 8 };
			const terminal = new Emulator({ ...size, widthOf });
			terminal.write("\u001b[?7l");
			let shown: Frame | undefined;
			let lines: Line[] = [];
			for (let step = 0; step < 50; step++) {
				if (dice.roll(15) === 0) {
					size = { columns: 1 + dice.roll(40), rows: 1 + dice.roll(10) };
					terminal.resize(size.columns, size.rows);
					shown = undefined;
				}
				lines = nextLines(lines, size.rows, dice);
				const next = frameOf(lines, size, abilities);
				terminal.write(difference(shown, next));
				shown = next;
				const fresh = new Emulator({ ...size, widthOf });
				fresh.write(`\u001b[?7l${difference(undefined, next)}`);
				expect(terminal.cells, `seed ${seed}, step ${step}`).toEqual(fresh.cells);
				expectWhereItBelongs(fresh, next);
			}
		}
	});

	/** Each plain character stands in its column, whatever the terminal made of others. */
	function expectWhereItBelongs(terminal: Emulator, frame: Frame): void {
		for (const [y, row] of frame.entries())
			for (const [x, [, text]] of row.entries())
				if (/^[!-~]$/.test(text)) expect(terminal.cells[y]?.[x]?.text).toBe(text);
	}
});

/** What a real terminal makes of what the screen writes. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { agreedWidth } from "../../../src/text/width/width.ts";
import type { Line, Segment, Style } from "../../../src/tui/text/line.ts";
import { hasTmux, openTerminal } from "../../fixtures/terminal.ts";
import { type Dice, diceOf } from "../../unit/dice.ts";
import { WAIT } from "../../wait.ts";

const directory = mkdtempSync(join(tmpdir(), "agentree-drawing-"));
const program = join(directory, "screen.cjs");

beforeAll(async () => {
	await build({
		...{ entryPoints: [resolve("test/fixtures/screen-client.ts")], outfile: program, logLevel: "error" },
		...{ bundle: true, platform: "node", format: "cjs", external: ["blessed"] },
	});
});

afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** A terminal that shows the first of the frames. */
function show(frames: readonly (readonly Line[])[]) {
	const home = mkdtempSync(join(directory, "home-"));
	writeFileSync(join(home, "frames.json"), JSON.stringify(frames));
	const terminal = openTerminal(home);
	terminal.type(`NODE_PATH=${resolve("node_modules")} node ${program} ${home}/frames.json; echo over`);
	return terminal;
}

const filled = <T>(rows: readonly T[][], count: number): T[][] =>
	Array.from({ length: count }, (_, at) => rows[at] ?? []);
const line = (text: string, style: Style = "plain"): Line => [{ text, style }];

describe.skipIf(!hasTmux())("in a terminal (needs tmux)", () => {
	const TEXTS = [
		...[
			"a",
			"run 1.2.3 ",
			"       ",
			"漢字かな",
			"한글",
			"😀🚀",
			"⌚",
			"x\u0301",
			"ก\u0e49",
			"│├▸● ",
			"━━━━",
			"…",
			"Привет",
		],
		...[
			"\u0301",
			"\u001b[31mred",
			"a\nb\tc",
			"\u202eabc",
			"\u2028",
			"👩🏽\u200d🚀",
			"❤\ufe0f",
			"🇩🇪",
			"\ud800",
			"\ue0b0",
			"\u1112\u1161",
		],
		...[
			"\u0600",
			"\u0939\u093f",
			"\u{1fae0}",
			"\u009b2J",
			"\u0000",
			"\u200b",
			"1\ufe0f\u20e3",
			"Z\u0300\u0301\u0302\u0303\u0304",
		],
	];
	const TONES: readonly Style[] = ["plain", "strong", "dim", "heading", "busy", "good", "bad", "warn", "alert"];

	function randomLine(dice: Dice): Line {
		return Array.from({ length: dice.roll(20) }, (): Segment => {
			const text = Array.from({ length: 1 + dice.roll(3) }, () => dice.pick(TEXTS)).join("");
			return { text, style: dice.pick(TONES) ?? "plain", isSelected: dice.roll(6) === 0 };
		});
	}

	/** The first row names the frame; of the others some change, and at times all move. */
	function randomFrames(count: number, dice: Dice): Line[][] {
		let rows = Array.from({ length: 40 }, () => randomLine(dice));
		return Array.from({ length: count }, (_, at) => {
			if (dice.roll(3) === 0) rows = [randomLine(dice), ...rows.slice(0, -1)];
			rows = rows.map((row) => (dice.roll(4) === 0 ? randomLine(dice) : row));
			return [line(`frame ${at}.`), ...rows];
		});
	}

	test("what is drawn after many frames, sizes and a redraw is what is drawn at once", async () => {
		// Seen to fail with what was shown taken for what is there after a change of the size, and with styles not compared.
		const COUNT = 24;
		const SIZES: Readonly<Record<number, readonly [number, number]>> = { 6: [40, 10], 12: [120, 36], 18: [77, 21] };
		const frames = randomFrames(COUNT, diceOf(7));
		const terminal = show(frames);
		await terminal.shows(/^frame 0\./);
		for (let at = 1; at < COUNT; at++) {
			const size = SIZES[at];
			if (size !== undefined) terminal.resize(...size);
			terminal.press("n");
			await terminal.shows(new RegExp(`^frame ${at}\\.`));
		}
		const alone = show([frames[COUNT - 1] ?? []]);
		alone.resize(77, 21);
		await vi.waitFor(() => expect(terminal.styled()).toEqual(alone.styled()), WAIT);
		await alone.shows(new RegExp(`^frame ${COUNT - 1}\\.`));
		terminal.press("r");
		await vi.waitFor(() => expect(terminal.styled()).toEqual(alone.styled()), WAIT);
	});

	test("each character that is kept is as wide as it is counted", async () => {
		const kept: string[] = [];
		for (let code = 0x21; code < 0x31400; code++) {
			const isOneOfMany = (code > 0x3400 && code < 0xd7a4) || code > 0x17000;
			if (agreedWidth(code) === undefined || (isOneOfMany && code % 97 !== 0)) continue;
			kept.push(agreedWidth(code) === 0 ? `x${String.fromCodePoint(code)}` : String.fromCodePoint(code));
		}
		const [columns, rows] = [200, 60];
		const perLine = Math.floor(columns / 4);
		const lines = Array.from({ length: Math.ceil(kept.length / perLine) }, (_, at) =>
			kept.slice(at * perLine, (at + 1) * perLine),
		);
		const pages = Array.from({ length: Math.ceil(lines.length / (rows - 1)) }, (_, at) =>
			lines.slice(at * (rows - 1), (at + 1) * (rows - 1)),
		);
		const terminal = show(
			pages.map((page, at) => [...filled(page, rows - 1).map((row) => line(row.join("|"))), line(`page ${at}.`)]),
		);
		terminal.resize(columns, rows);
		for (const [at, page] of pages.entries()) {
			if (at > 0) terminal.press("n");
			const shown = await terminal.shows(new RegExp(`^page ${at}\\.$`, "m")); // the last row, which is drawn last
			expect(shown.split("\n").slice(0, page.length)).toEqual(
				page.map((row) => row.join("|").normalize("NFC").trimEnd()),
			);
		}
	});
});

/** What a real terminal has in its scrollback of what a conversation appends. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasTmux, openTerminal } from "../../fixtures/terminal.ts";
import { diceOf } from "../../unit/dice.ts";

const directory = mkdtempSync(join(tmpdir(), "agentree-scrollback-"));
const program = join(directory, "screen.cjs");

beforeAll(async () => {
	await build({
		...{ entryPoints: [resolve("test/fixtures/scrollback-client.ts")], outfile: program, logLevel: "error" },
		...{ bundle: true, platform: "node", format: "cjs" },
	});
});

afterAll(() => rmSync(directory, { recursive: true, force: true }));

interface Step {
	readonly lines: readonly string[];
	readonly rows: readonly string[];
}

/** A terminal in which the screen runs, above whose lines the shell has printed one. */
async function start(steps: readonly Step[], resizeLagMs = 0) {
	const home = mkdtempSync(join(directory, "home-"));
	writeFileSync(join(home, "steps.json"), JSON.stringify(steps));
	const terminal = openTerminal(home);
	terminal.type(`clear; echo before; node ${program} ${home}/steps.json ${resizeLagMs}; echo over`);
	await terminal.shows(/^~> -1 100x30$/m);
	return terminal;
}

describe.skipIf(!hasTmux())("in a terminal (needs tmux)", () => {
	const RANDOM = [
		{ isAwaited: true, what: "and no row of the region is left over, when it knows each size before it goes on" },
		{ isAwaited: false, what: "also when it hears of a size late" },
	];

	// Seen to fail with `rowsAboveCursor` as `cursor.row`: rows of the region stay in the scrollback.
	test.each(RANDOM)("each line is in the scrollback once, in order, $what", async ({ isAwaited }) => {
		const dice = diceOf(7);
		const steps = Array.from({ length: 60 }, (_, step) => ({
			lines: Array.from({ length: dice.roll(4) }, (_, n) => `line ${step}.${n} ${"x".repeat(dice.roll(150))}|`),
			rows: Array.from({ length: dice.roll(5) }, (_, n) => `~${n} ${"y".repeat(dice.roll(80))}|`),
		}));
		const terminal = await start(steps, isAwaited ? 0 : 300);
		let size = "100x30";
		for (const step of steps.keys()) {
			if (dice.roll(3) === 0) {
				const [columns, rows] = [30 + dice.roll(70), 24 + dice.roll(10)];
				size = `${columns}x${rows}`;
				terminal.resize(columns, rows);
				if (isAwaited) await terminal.shows(new RegExp(`^~> ${step - 1} ${size}$`, "m"));
			}
			terminal.press("n");
			await terminal.shows(isAwaited ? new RegExp(`^~> ${step} ${size}$`, "m") : new RegExp(`~> ${step} \\d`));
		}
		terminal.resize(200, 30);
		await terminal.shows(/^~> 59 200x30$/m);
		terminal.press("q");
		await terminal.shows(/^over$/m);
		const above = terminal.scrollback().slice(0, -1);
		const isOfRegion = (text: string) => text === "" || /^[~y]/.test(text);
		const lines = isAwaited ? above : above.filter((text) => !isOfRegion(text));
		expect(lines).toEqual(["before", ...steps.flatMap((one) => one.lines), "over"]);
		await terminal.isRestored();
	});

	test("a program that has the terminal meanwhile writes below the lines, and the region comes back below it", async () => {
		const terminal = await start([
			{ lines: ["one", "two"], rows: ["~live"] },
			{ lines: ["three"], rows: ["~live"] },
		]);
		terminal.press("n");
		await terminal.shows(/~> 0/);
		terminal.press("s");
		await terminal.shows(/elsewhere\n~live\n~> 0/);
		terminal.press("n");
		await terminal.shows(/~> 1/);
		expect(terminal.scrollback()).toEqual(["before", "one", "two", "elsewhere", "three", "~live", "~> 1 100x30"]);
	});

	test("a crash leaves the terminal as it was, with the lines that were appended", async () => {
		const terminal = await start([{ lines: ["one", "two"], rows: ["~live"] }]);
		terminal.press("n");
		await terminal.shows(/~> 0/);
		terminal.press("x");
		await terminal.shows(/^over$/m);
		const lines = terminal.scrollback();
		expect(lines.slice(0, 3)).toEqual(["before", "one", "two"]);
		expect(lines.filter((text) => text.startsWith("~"))).toEqual([]);
		await terminal.isRestored();
	});
});

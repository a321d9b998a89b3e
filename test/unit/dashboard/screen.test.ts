import { PassThrough } from "node:stream";
import { expect, onTestFinished, test, vi } from "vitest";
import type { Line } from "../../../src/dashboard/scene/line.ts";
import type { MouseEvent } from "../../../src/dashboard/screen/input-decoder.ts";
import { openScreen } from "../../../src/dashboard/screen.ts";

const ESC = "\u001b";

function open(columns = 10, rows = 2, hasColours = true) {
	const output = Object.assign(new PassThrough(), { columns, rows, isTTY: true });
	const modes: boolean[] = [];
	const input = Object.assign(new PassThrough(), {
		isTTY: true,
		isRaw: false,
		setRawMode: (isRaw: boolean) => {
			input.isRaw = isRaw;
			modes.push(isRaw);
			return input;
		},
	});
	const keys: string[] = [];
	const characters: (string | undefined)[] = [];
	const pastes: string[] = [];
	const mice: MouseEvent[] = [];
	const onResize = vi.fn();
	const screen = openScreen({
		...{ input, output, hasColours, onResize },
		onKey: (key, character) => {
			keys.push(key);
			characters.push(character);
		},
		onPaste: (text) => pastes.push(text),
		onMouse: (event) => mice.push(event),
	});
	onTestFinished(() => screen.close());
	/** What was written since the last call, once blessed has written it: it gathers what one turn of the loop brings. */
	const written = async () => {
		await new Promise(setImmediate);
		return String(output.read() ?? "");
	};
	const draw = async (...lines: Line[]) => {
		screen.draw(lines);
		return written();
	};
	return { screen, output, input, modes, keys, characters, pastes, mice, onResize, written, draw };
}

test("takes the terminal, and gives it back whole, once", async () => {
	const { screen, input, modes, written } = open();
	expect(await written()).toContain(`${ESC}[?1049h`);
	expect(input.isRaw).toBe(true);
	screen.close();
	const restored = await written();
	expect(restored).toMatch(/\[\?25h.*\[\?1049l/s);
	expect(modes).toEqual([true, false]);
	screen.close();
	expect(await written()).toBe("");
});

test.each([
	"screen-256color",
	"tmux-256color",
	"xterm-256color",
	"xterm-kitty",
	"xterm-ghostty",
	"alacritty",
	"nonsense",
	"",
])("says nothing on stderr with TERM=%s", async (term) => {
	vi.stubEnv("TERM", term);
	const said = vi.spyOn(console, "error").mockImplementation(() => {});
	const wrote = vi.spyOn(process.stderr, "write").mockImplementation(() => true);
	onTestFinished(() => {
		vi.unstubAllEnvs();
		vi.restoreAllMocks();
	});
	const { draw } = open();
	expect(await draw([{ text: "here", tone: "plain" }])).toContain("here");
	expect([said.mock.calls, wrote.mock.calls]).toEqual([[], []]);
});

test("asks for marks around what is pasted, gives a paste whole and no key of it, and asks no more when it closes", async () => {
	// Seen to fail with pastes read as keys: q, s and the marks come as keys.
	const { screen, input, keys, pastes, written } = open();
	expect(await written()).toContain(`${ESC}[?2004h`);
	input.write(`j${ESC}[200~q\rs`);
	input.write(`\u0003q${ESC}[A${ESC}[20`);
	input.write("1~k");
	expect([keys, pastes]).toEqual([["j", "k"], [`q\ns\u0003q${ESC}[A`]]);
	screen.close();
	expect(await written()).toContain(`${ESC}[?2004l`);
});

test("a paste whose end never comes is over when nothing has come for a second", async () => {
	const { input, keys, pastes } = open();
	vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
	onTestFinished(() => void vi.useRealTimers());
	input.write(`${ESC}[200~q`);
	vi.advanceTimersByTime(999);
	input.write("s");
	vi.advanceTimersByTime(999);
	input.write("s");
	expect([keys, pastes]).toEqual([[], []]);
	vi.advanceTimersByTime(1_000);
	input.write("q");
	expect([keys, pastes]).toEqual([["q"], ["qss"]]);
});

test("a key in pieces is one key, and escape alone is one when no more of it comes", () => {
	const { input, keys } = open();
	vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
	onTestFinished(() => void vi.useRealTimers());
	for (const piece of [ESC, "[", "A", ESC]) input.write(piece);
	expect(keys).toEqual(["up"]);
	vi.advanceTimersByTime(30);
	input.write(Buffer.from("é").subarray(0, 1));
	input.write(Buffer.from("é").subarray(1));
	expect(keys).toEqual(["up", "escape", "é"]);
});

test("what was typed comes with its key: one character, or nothing that can be seen", () => {
	const { input, keys, characters } = open();
	input.write(`aG ?{é漢😀\t\r\u0003\u007f${ESC}[A${ESC}x`);
	expect(keys.map((key, at) => [key, characters[at]])).toEqual([
		...[
			["a", "a"],
			["S-g", "G"],
			["space", " "],
			["?", "?"],
			["{", "{"],
			["é", "é"],
			["漢", "漢"],
			["😀", "😀"],
		],
		...["tab", "enter", "C-c", "backspace", "up", "M-x"].map((key) => [key, undefined]),
	]);
});

test("the mouse is off at first, and is off again when the terminal is given back", async () => {
	const { screen, input, keys, mice, written } = open();
	expect(await written()).not.toContain("[?1000h");
	screen.mouse(true);
	expect(await written()).toBe(`${ESC}[?1000h${ESC}[?1006h`);
	input.write(`${ESC}[<0;3;2M${ESC}[<0;3;2m${ESC}[<65;1`);
	input.write("20;40M");
	expect([keys, mice]).toEqual([
		[],
		[
			{ x: 2, y: 1, button: "left" },
			{ x: 119, y: 39, button: "wheel_down" },
		],
	]);
	screen.suspend(() => {});
	expect(((await written()) + (await written())).match(/\[\?1000[hl]/g)).toEqual(["[?1000l", "[?1000h"]);
	screen.mouse(false);
	expect(await written()).toBe(`${ESC}[?1006l${ESC}[?1000l`);
	screen.close();
	expect(await written()).not.toContain("1000");
});

test("names the window in one clean line, and gives the name back that it had", async () => {
	const { screen, written } = open();
	expect(await written()).not.toContain("t");
	screen.title(`run${ESC}[2J e380\nrunning \u00079`);
	expect(await written()).toBe(`${ESC}[22;2t${ESC}]2;run e380 running 9\u0007`);
	screen.title("run e380 running 9");
	expect(await written()).toBe("");
	screen.suspend(() => {});
	expect(((await written()) + (await written())).match(/\[2[23];2t/g)).toEqual(["[23;2t", "[22;2t"]);
	screen.title("run e380 ended");
	expect(await written()).toBe(`${ESC}]2;run e380 ended\u0007`);
	screen.close();
	expect(await written()).toContain(`${ESC}[23;2t`);
});

test("rings", async () => {
	const { screen, written } = open();
	await written();
	screen.bell();
	expect(await written()).toBe("\u0007");
});

test("leaves signals to who opened it", () => {
	// Seen to fail without removeExitOnSignal: one listener each, which exits with 0.
	const count = () => (["SIGTERM", "SIGINT", "SIGQUIT"] as const).map((signal) => process.listenerCount(signal));
	const before = count();
	open();
	expect(count()).toEqual(before);
});

test("writes only what has changed", async () => {
	const { draw } = open();
	await draw([{ text: "one", tone: "plain" }], [{ text: "two", tone: "plain" }]);
	expect(await draw([{ text: "one", tone: "plain" }], [{ text: "two", tone: "plain" }])).toBe("");
	const changed = await draw([{ text: "one", tone: "plain" }], [{ text: "twa", tone: "plain" }]);
	expect(changed).toContain("a");
	expect(changed).not.toMatch(/one|tw/);
});

test("braces are text, not tags, and lines are drawn as UTF-8", async () => {
	const { draw } = open(20);
	expect(await draw([{ text: "{bold}│├└─{/bold}", tone: "plain" }])).toContain("{bold}│├└─{/bold}");
});

test("a wide character takes two columns, and the line around it is written whole when it changes", async () => {
	const { draw } = open();
	await draw([{ text: "漢字ab", tone: "plain" }]);
	expect(await draw([{ text: "漢字ac", tone: "plain" }])).toContain("漢字ac    ");
	expect(await draw([{ text: "xyzwac", tone: "plain" }])).toContain("xyzwac    ");
});

test("marks without width stay with their character, and what is too long is cut", async () => {
	const { draw } = open(4);
	expect(await draw([{ text: "x\u0301abc漢", tone: "plain" }])).toContain("x\u0301abc");
	expect(await draw([{ text: "abc漢", tone: "plain" }])).not.toContain("漢");
});

test("tones become colours; a selected line is one bar without them", async () => {
	const { draw } = open();
	expect(await draw([{ text: "bad", tone: "bad" }])).toContain(`${ESC}[31mbad`);
	expect(await draw([{ text: "sel", tone: "bad", isSelected: true }])).toContain(`${ESC}[7msel`);
});

test("without colours there are none", async () => {
	const { draw } = open(10, 2, false);
	expect(await draw([{ text: "bad", tone: "bad" }])).not.toContain(`${ESC}[31m`);
});

test("keys have the names of the table", () => {
	const { input, keys } = open();
	vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
	onTestFinished(() => void vi.useRealTimers());
	for (const typed of ["j", "G", "?", "\r", " ", "\t", `${ESC}[A`, `${ESC}OB`, `${ESC}[5~`, "\u0003", "\u0015", ESC])
		input.write(typed);
	vi.advanceTimersByTime(30);
	const moves = ["up", "down", "pageup", "C-c", "C-u", "escape"];
	expect(keys).toEqual(["j", "S-g", "?", "enter", "space", "tab", ...moves]);
});

test("follows a change of the size", async () => {
	const { screen, output, onResize, draw } = open();
	Object.assign(output, { columns: 5, rows: 3 }).emit("resize");
	expect(onResize).toHaveBeenCalledOnce();
	expect(screen.size()).toEqual({ columns: 5, rows: 3 });
	expect(await draw([], [], [{ text: "third", tone: "plain" }])).toContain("third");
});

test("gives the terminal back while it is suspended, and takes it again", async () => {
	const { screen, input, onResize, written } = open();
	await written();
	let during = { isRaw: true };
	screen.suspend(() => {
		during = { isRaw: input.isRaw };
	});
	const both = (await written()) + (await written());
	expect(during).toEqual({ isRaw: false });
	expect(both).toMatch(/\[\?1049l.*\[\?1049h/s);
	expect(input.isRaw).toBe(true);
	expect(onResize).toHaveBeenCalledOnce();
});

test("no listener of the process is left behind", () => {
	const events = ["exit", "uncaughtException", "SIGTERM", "SIGINT", "SIGQUIT"];
	const counts = () => events.map((event) => process.listenerCount(event));
	const before = counts();
	const { screen } = open();
	screen.close();
	expect(counts()).toEqual(before);
});

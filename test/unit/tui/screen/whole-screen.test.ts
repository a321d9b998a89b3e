import { PassThrough } from "node:stream";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { SYSTEM_CLOCK } from "../../../../src/processes/system-clock.ts";
import { type MouseKey, nameOf } from "../../../../src/tui/keys/key.ts";
import { KeyReader } from "../../../../src/tui/keys/key-reader.ts";
import { WholeScreen } from "../../../../src/tui/screen/whole-screen.ts";
import type { Line, Style } from "../../../../src/tui/text/line.ts";
import { Emulator } from "../../../fixtures/emulator.ts";

const ESC = "\u001b";
const line = (text: string, style: Style = "plain"): Line => [{ text, style }];

interface Terms {
	readonly columns?: number;
	readonly rows?: number;
	readonly env?: Record<string, string>;
	/** Columns of a character of the terminal; "silent": it answers no question. */
	readonly terminal?: ((code: number) => number) | "silent";
}

/** A screen in an emulated terminal. */
function open({ columns = 10, rows = 2, env = { TERM: "xterm-256color" }, terminal: widthOf }: Terms = {}) {
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
	const pastes: string[] = [];
	const mice: MouseKey[] = [];
	let shown: readonly Line[] = [];
	const keyReader = new KeyReader({
		...{ keysAre: "commands", now: () => 0 },
		onKey: (key) => {
			if (key.is === "text" || key.is === "key") keys.push(nameOf(key));
			else if (key.is === "paste") pastes.push(key.text);
			else if (key.is === "mouse") mice.push(key);
		},
		onAnswer: (sequence) => screen.answered(sequence),
	});
	const lines = vi.fn(() => shown);
	const screen = WholeScreen.open({
		...{ input, output, env, lines, clock: SYSTEM_CLOCK, onGone: () => {} },
		onInput: (bytes) => keyReader.read(bytes),
	});
	onTestFinished(() => screen.close());
	const terminal = new Emulator({
		...{ columns, rows },
		...(typeof widthOf === "function" ? { widthOf } : {}),
		onAnswer: (text) => void (widthOf !== "silent" && input.write(text)),
	});
	/** What was written since the last call. It is gathered for a turn of the loop; the terminal may answer to it. */
	const written = async () => {
		let all = "";
		for (let turn = 0; turn < 3; turn++) {
			await new Promise(setImmediate);
			const text = String(output.read() ?? "");
			terminal.write(text);
			all += text;
		}
		return all;
	};
	const show = (...now: Line[]) => {
		shown = now;
	};
	const draw = async (...now: Line[]) => {
		show(...now);
		screen.draw();
		return written();
	};
	return { screen, terminal, output, input, modes, keys, pastes, mice, lines, written, show, draw };
}

/** A screen that has asked its questions, and was answered. */
async function opened(terms: Terms = {}) {
	const all = open(terms);
	await all.written();
	return all;
}

test("takes the terminal, and gives it back whole, once", async () => {
	const { screen, terminal, input, modes, written } = open();
	await written();
	expect([terminal.modes.get("1049"), terminal.modes.get("25"), terminal.modes.get("7")]).toEqual([true, false, false]);
	expect(input.isRaw).toBe(true);
	screen.close();
	await written();
	expect([terminal.modes.get("1049"), terminal.modes.get("25"), terminal.modes.get("7")]).toEqual([false, true, true]);
	expect(terminal.modes.get("2004")).toBe(false);
	expect(modes.at(-1)).toBe(false);
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
	expect(await draw([{ text: "here", style: "plain" }])).toContain("here");
	expect([said.mock.calls, wrote.mock.calls]).toEqual([[], []]);
});

test("asks for marks around what is pasted, gives a paste whole and no key of it, and asks no more when it closes", async () => {
	// Seen to fail with pastes read as keys: q, s and the marks come as keys.
	const { screen, input, keys, pastes, written } = open();
	expect(await written()).toContain(`${ESC}[?2004h`);
	input.write(`j${ESC}[200~q\rs`);
	input.write(`\u0003q${ESC}[A${ESC}[20`);
	input.write("1~k");
	expect([keys, pastes]).toEqual([["j", "k"], ["q\nsq"]]);
	screen.close();
	expect(await written()).toContain(`${ESC}[?2004l`);
});

test("a paste whose end never comes is over when nothing has come for a second", async () => {
	const { input, keys, pastes, written } = open();
	vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
	onTestFinished(() => void vi.useRealTimers());
	input.write(`${ESC}[200~q`);
	vi.advanceTimersByTime(999);
	input.write("s");
	vi.advanceTimersByTime(999);
	input.write("s");
	expect([keys, pastes]).toEqual([[], []]);
	vi.advanceTimersByTime(1_000);
	await written();
	input.write("q");
	expect([keys, pastes]).toEqual([["q"], ["qss"]]);
});

test("a key in pieces is one key, and escape alone is one when no more of it comes", async () => {
	const { input, keys, written } = open();
	vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
	onTestFinished(() => void vi.useRealTimers());
	for (const piece of [ESC, "[", "A", ESC]) input.write(piece);
	expect(keys).toEqual(["up"]);
	vi.advanceTimersByTime(30);
	await written();
	input.write(Buffer.from("é").subarray(0, 1));
	input.write(Buffer.from("é").subarray(1));
	expect(keys).toEqual(["up", "escape", "é"]);
});

test("each character is a key, and each key has a name", () => {
	const { input, keys } = open();
	input.write(`aG ?{é漢😀\t\r\u0003\u007f${ESC}[A${ESC}x`);
	const named = ["tab", "enter", "ctrl-c", "backspace", "up", "alt-x"];
	expect(keys).toEqual(["a", "G", "space", "?", "{", "é", "漢", "😀", ...named]);
});

test("the mouse is off at first, and is off again when the terminal is given back", async () => {
	const { screen, terminal, input, keys, mice, written } = open();
	expect(await written()).not.toContain("[?1000h");
	screen.mouse(true);
	expect(await written()).toBe(`${ESC}[?1000h${ESC}[?1006h`);
	input.write(`${ESC}[<0;3;2M${ESC}[<0;3;2m${ESC}[<65;1`);
	input.write("20;40M");
	expect([keys, mice]).toEqual([
		[],
		[
			{ is: "mouse", x: 2, y: 1, button: "left" },
			{ is: "mouse", x: 119, y: 39, button: "wheel_down" },
		],
	]);
	screen.suspend();
	await written();
	expect([terminal.modes.get("1000"), terminal.modes.get("1006")]).toEqual([false, false]);
	screen.resume();
	await written();
	expect([terminal.modes.get("1000"), terminal.modes.get("1006")]).toEqual([true, true]);
	screen.mouse(false);
	expect(await written()).toBe(`${ESC}[?1006l${ESC}[?1000l`);
	screen.close();
	expect(await written()).not.toContain("1000");
});

test("names the window in one clean line, and gives the name back that it had", async () => {
	const { screen, terminal, written } = await opened();
	expect(terminal.title).toBe("shell");
	screen.title(`run${ESC}[2J e380\nrunning \u00079`);
	await written();
	expect(terminal.title).toBe("run e380 running 9");
	screen.title("run e380 running 9");
	expect(await written()).toBe("");
	screen.suspend();
	screen.title("run e380 ended");
	await written();
	expect(terminal.title).toBe("shell");
	screen.resume();
	await written();
	expect(terminal.title).toBe("run e380 ended");
	screen.close();
	await written();
	expect(terminal.title).toBe("shell");
});

test("rings, but not while another program has the terminal", async () => {
	const { screen, terminal, written } = await opened();
	screen.bell();
	await written();
	screen.suspend();
	screen.bell();
	await written();
	expect(terminal.bells).toBe(1);
});

test("leaves signals to who opened it, and no listener of the process behind", () => {
	const events = ["SIGTERM", "SIGINT", "SIGQUIT", "uncaughtException", "exit"] as const;
	const counts = () => events.map((event) => process.listenerCount(event as "exit"));
	const before = counts();
	const { screen } = open();
	expect(counts().slice(0, 4)).toEqual(before.slice(0, 4));
	screen.close();
	expect(counts()).toEqual(before);
});

test("gives the terminal back when the process exits", async () => {
	const before = process.listeners("exit");
	const { terminal, written } = await opened();
	for (const listener of process.listeners("exit")) if (!before.includes(listener)) listener(0);
	await written();
	expect(terminal.modes.get("1049")).toBe(false);
});

test("writes only what has changed", async () => {
	const { draw } = await opened();
	await draw(line("one"), line("two"));
	expect(await draw(line("one"), line("two"))).toBe("");
	expect(await draw(line("one"), line("twa"))).toBe(`${ESC}[2;3Ha`);
});

test("draws text as it is: braces, lines, wide characters, marks; what is too long is cut", async () => {
	const { terminal, draw } = await opened({ columns: 8, rows: 4 });
	await draw(line("{b}│├└─"), line("漢字ab漢漢"), line("x\u0301abcdefgh"), line(`${ESC}[2Jred`));
	expect(terminal.lines).toEqual(["{b}│├└─", "漢字ab漢", "x\u0301abcdefg", "red"]);
	await draw(line("{b}│├└─"), line("xyzwac"));
	expect(terminal.lines).toEqual(["{b}│├└─", "xyzwac", "", ""]);
});

test("a mark at the beginning of a piece of a line joins nothing before it", async () => {
	const { terminal, draw } = await opened();
	await draw([...line("│"), ...line("\u0301abc")]);
	expect(terminal.lines[0]).toBe("│abc");
});

test("tones become colours; a selected line is one bar without them", async () => {
	const { terminal, draw } = await opened({ env: { TERM: "xterm" } });
	await draw([...line("bad", "bad"), { text: "sel", style: "bad", isSelected: true }]);
	expect(terminal.cells[0]?.slice(0, 6).map(({ style }) => style)).toEqual([
		...Array(3).fill("fg31"),
		...Array(3).fill("7"),
	]);
});

test("with NO_COLOR there are no colours, and still bold, dim and inverse", async () => {
	const { terminal, draw } = await opened({ env: { TERM: "xterm-256color", NO_COLOR: "1" } });
	await draw([
		...line("b", "bad"),
		...line("d", "dim"),
		...line("h", "heading"),
		...line("a", "alert"),
		...line("g", "good"),
	]);
	expect(terminal.cells[0]?.slice(0, 5).map(({ style }) => style)).toEqual(["1", "2", "1", "1,7", ""]);
});

test("what came while the process was busy is read before it is missed", async () => {
	// Seen to fail without setImmediate: a timer that is due is called before the input is read.
	const { input, keys, written } = open();
	vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
	onTestFinished(() => void vi.useRealTimers());
	input.write(ESC);
	vi.advanceTimersByTime(30);
	input.write("[A");
	await written();
	expect(keys).toEqual(["up"]);
});

test("keys have the names of the table", async () => {
	const { input, keys, written } = open();
	vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
	onTestFinished(() => void vi.useRealTimers());
	for (const typed of ["j", "G", "?", "\r", " ", "\t", `${ESC}[A`, `${ESC}OB`, `${ESC}[5~`, "\u0003", "\u0015", ESC])
		input.write(typed);
	vi.advanceTimersByTime(30);
	await written();
	const moves = ["up", "down", "pageup", "ctrl-c", "ctrl-u", "escape"];
	expect(keys).toEqual(["j", "G", "?", "enter", "space", "tab", ...moves]);
});

test("follows a change of the size", async () => {
	const { screen, terminal, output, lines, draw } = await opened();
	await draw(line("before"), line("below"));
	terminal.resize(5, 3);
	lines.mockClear();
	Object.assign(output, { columns: 5, rows: 3 }).emit("resize");
	expect(lines).toHaveBeenCalledOnce();
	expect(screen.size).toEqual({ columns: 5, rows: 3 });
	await draw([], [], line("third"));
	expect(terminal.lines).toEqual(["", "", "third"]);
});

test.each([
	["undefined", {}],
	["0", { columns: 0, rows: 0 }],
])("a terminal that says %s of its size is taken for a usual one", (_, size) => {
	const { screen, output } = open();
	Object.assign(output, { columns: undefined, rows: undefined }, size);
	expect(screen.size).toEqual({ columns: 80, rows: 24 });
});

describe("while it is suspended", () => {
	test("the terminal is another program's: nothing is read, nothing written", async () => {
		const { screen, terminal, input, draw, written } = await opened();
		await draw(line("shown"));
		screen.suspend();
		await written();
		expect([input.isRaw, input.isPaused(), terminal.modes.get("1049")]).toEqual([false, true, false]);
		expect(await draw(line("not shown"))).toBe("");
		screen.redraw();
		expect(await written()).toBe("");
		screen.close();
		expect(await written()).toBe("");
	});

	test("a change of the size is asked for when it goes on, and all is drawn anew", async () => {
		// Seen to fail without askSize: a terminal tells its size only to the programs in its foreground.
		const { screen, terminal, input, output, lines, draw, written } = await opened();
		await draw(line("shown"));
		screen.suspend();
		await written();
		terminal.resize(7, 3);
		terminal.write("$ ls");
		const _refreshSize = () => void Object.assign(output, { columns: 7, rows: 3 }).emit("resize");
		Object.assign(output, { _refreshSize });
		lines.mockImplementation(() => [line(`${screen.size.columns} columns`)]);
		screen.resume();
		await written();
		expect([input.isRaw, input.isPaused(), terminal.modes.get("1049")]).toEqual([true, false, true]);
		expect(terminal.lines).toEqual(["7 colum", "", ""]);
	});

	test("a terminal that was lost without a word is taken again, and nothing is written before", async () => {
		const { screen, terminal, input, draw, written } = await opened();
		await draw(line("shown"));
		screen.lose();
		expect(await written()).toBe("");
		terminal.write(`${ESC}[?1049l$ bg`);
		expect(await draw(line("not shown"))).toBe("");
		screen.resume();
		await draw(line("again"));
		expect(terminal.lines).toEqual(["again", ""]);
		expect(input.isRaw).toBe(true);
	});
});

test("a window whose size was another one for a moment is drawn anew, but not while another program has it", async () => {
	const { screen, terminal, lines, draw, written } = await opened();
	await draw(line("shown"));
	terminal.resize(2, 1);
	terminal.resize(10, 2);
	lines.mockClear();
	process.emit("SIGWINCH");
	await written();
	expect(terminal.lines[0]).toBe("shown");
	screen.suspend();
	await written();
	process.emit("SIGWINCH");
	expect(lines).toHaveBeenCalledOnce();
	screen.close();
	process.emit("SIGWINCH");
	expect(lines).toHaveBeenCalledOnce();
});

test("a redraw repairs what another program has written", async () => {
	const { screen, terminal, draw, written } = await opened();
	await draw(line("shown"), line("below"));
	terminal.write(`${ESC}[H${ESC}[31mgarbage${ESC}[?25h`);
	screen.redraw();
	await written();
	expect(terminal.lines).toEqual(["shown", "below"]);
	expect(terminal.cells[0]?.[0]?.style).toBe("");
	expect(terminal.modes.get("25")).toBe(false);
});

describe("what the terminal can show", () => {
	const SHOWN = "┏━┓ ●✓… é 漢";
	const bytesAreCharacters = (code: number) => Buffer.byteLength(String.fromCodePoint(code));
	const ambiguousIsWide = (code: number) => (code > 0x7e && code !== 0x2820 ? 2 : 1);

	test.each([
		["a terminal that reads UTF-8", undefined, "┏━┓ ●✓… é 漢"],
		["one that draws ambiguous characters two columns wide", ambiguousIsWide, "#=# *+~ e 漢"],
		["one that takes bytes for characters", bytesAreCharacters, "#=# *+~ e ?"],
	] as const)("is asked: %s", async (_, widthOf, shown) => {
		// Seen to fail with LANG believed: it says UTF-8 in all three.
		const { terminal, draw } = open({
			columns: 20,
			env: { LANG: "en_US.UTF-8" },
			...(widthOf && { terminal: widthOf }),
		});
		await draw(line(SHOWN));
		expect(terminal.lines[0]).toBe(shown);
	});

	test.each([
		["its locale", { LANG: "C.UTF-8" }, SHOWN],
		["its locale", { LC_ALL: "C", LANG: "C.UTF-8" }, "#=# *+~ e ?"],
		["nothing", {}, SHOWN],
	])("of a terminal that does not answer is told by %s, after a time", async (_, env, shown) => {
		vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
		onTestFinished(() => void vi.useRealTimers());
		const { terminal, draw, written } = open({ columns: 20, env, terminal: "silent" });
		await draw(line(SHOWN));
		expect(terminal.lines[0]).toBe("");
		vi.advanceTimersByTime(150);
		await written();
		expect(terminal.lines[0]).toBe(shown);
	});

	test("an answer is no key, and counts also when it comes late", async () => {
		vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
		onTestFinished(() => void vi.useRealTimers());
		const { terminal, input, keys, draw, written } = open({ columns: 20, terminal: "silent" });
		await draw(line(SHOWN));
		vi.advanceTimersByTime(150);
		await written();
		input.write(`${ESC}[1;4R${ESC}[1;`);
		input.write("3R");
		await written();
		expect(terminal.lines[0]).toBe("#=# *+~ e ?");
		expect(keys).toEqual([]);
	});
});

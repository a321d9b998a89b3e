import { PassThrough } from "node:stream";
import { expect, onTestFinished, test, vi } from "vitest";
import type { Line } from "../../../src/dashboard/scene/line.ts";
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
	const onResize = vi.fn();
	const screen = openScreen({ input, output, hasColours, onKey: (key) => keys.push(key), onResize });
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
	return { screen, output, input, modes, keys, onResize, written, draw };
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

test("asks for marks around what is pasted, drops what stands between them, and asks no more when it closes", async () => {
	// Seen to fail without `isUnderWay`: q, s and the marks come as keys.
	const { screen, input, keys, written } = open();
	expect(await written()).toContain(`${ESC}[?2004h`);
	input.write(`j${ESC}[200~q\rs`);
	input.write(`\u0003q${ESC}[A${ESC}[201~k`);
	await new Promise(setImmediate);
	expect(keys).toEqual(["j", "k"]);
	screen.close();
	expect(await written()).toContain(`${ESC}[?2004l`);
});

test("a paste whose end never comes is over when nothing has come for a second", async () => {
	const { input, keys } = open();
	vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
	onTestFinished(() => void vi.useRealTimers());
	input.write(`${ESC}[200~q`);
	vi.advanceTimersByTime(999);
	input.write("s");
	vi.advanceTimersByTime(999);
	input.write("s");
	expect(keys).toEqual([]);
	vi.advanceTimersByTime(1_000);
	input.write("q");
	await new Promise(setImmediate);
	expect(keys).toEqual(["q"]);
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
	expect(await draw([{ text: "e\u0301abc漢", tone: "plain" }])).toContain("e\u0301abc");
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

test("keys have the names of the table", async () => {
	const { input, keys, written } = open();
	for (const typed of ["j", "G", "?", "\r", " ", "\t", `${ESC}[A`, `${ESC}OB`, `${ESC}[5~`, "\u0003", "\u0015", ESC]) {
		input.write(typed);
		await written();
	}
	expect(keys.filter((key) => key !== "return")).toEqual([
		"j",
		"S-g",
		"?",
		"enter",
		"space",
		"tab",
		"up",
		"down",
		"pageup",
		"C-c",
		"C-u",
		"escape",
	]);
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

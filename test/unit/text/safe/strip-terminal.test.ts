import { expect, test } from "vitest";
import { plainText, Rendering } from "../../../../src/text/safe/strip-terminal.ts";
import { cpuMs } from "../../cpu-ms.ts";

const CASES: [title: string, raw: string, shown: string][] = [
	["plain text passes untouched", "a\tb\n\nc é 👍\n", "a\tb\n\nc é 👍\n"],
	["colors go", "\x1b[1;31mred\x1b[0m and \x1b[38:2::255:0:0mtrue\x1b[m", "red and true"],
	["cursor moves and private modes go", "\x1b[2J\x1b[H\x1b[?25lhi\x1b[?25h\x1b[10;20H!", "hi!"],
	["a color cut at the end goes", "end\x1b[3", "end"],
	["a lone escape goes", "a\x1b", "a"],
	["character sets and keypad modes go", "\x1b(Ba\x1b=b\x1b>c\x1b7d\x1b8", "abcd"],
	["a title with BEL or ST goes", "\x1b]0;title\x07a\x1b]2;other\x1b\\b", "ab"],
	["a link keeps its text", "\x1b]8;;http://x\x1b\\here\x1b]8;;\x1b\\", "here"],
	["a title that never ends takes its line, not the rest", "a\x1b]0;title\nb\n", "a\nb\n"],
	["an image over many lines goes", "a\x1bPq#0\n#1\n\x1b\\b", "ab"],
	["an image that never ends takes its line", "a\x1bPq#0\nb", "a\nb"],
	["NUL, BEL, DEL and C1 go", "a\0b\x07c\x7fd\x9be", "abcde"],
	["form feed and vertical tab go", "a\fb\vc", "abc"],
	["CR LF is a line end", "a\r\nb\r\n", "a\nb\n"],
	["a progress line shows what stood there last", " 10%\r 50%\r100%\ndone\n", "100%\ndone\n"],
	["a shorter text leaves the rest of the longer one, as a terminal does", "downloading\rdone\n", "doneloading\n"],
	["erase to the end of line takes the rest", "downloading\r\x1b[Kdone\n", "done\n"],
	["erase line takes all", "downloading\x1b[2K\rdone", "done"],
	["erase line and column 1, as npm does", "fetching\x1b[1G\x1b[0Kok\n", "ok\n"],
	["a line that was erased is empty", "spinner\r\x1b[K\nx", "\nx"],
	["backspaces overwrite", "_\bx o\bo -\b\\\b|", "x o |"],
	["backspaces at the start of a line do nothing", "\b\b\bab", "ab"],
	["a far column does not make a long line", "ab\x1b[999999999Gc", "abc"],
	["an emoji is one cell", "👍👍\rab", "ab"],
	[
		"a cursor move up changes the lines above",
		"a 1%\nb 1%\n\x1b[2A\x1b[2Ka 99%\n\x1b[2Kb done\nend\n",
		"a 99%\nb done\nend\n",
	],
	["a cursor move up stops at the first line", "a\n\x1b[9Ab\n", "b\n"],
	[
		"a cursor move down comes back to the end, and may leave lines blank",
		"a\nb\n\x1b[2Ac\x1b[2Bd\x1b[2B\re",
		"c\nb\n d\n\ne",
	],
	["next and previous line begin at the first column", "abc\nd\x1b[1Fx\x1b[Ey", "xbc\ny"],
	["erase below takes the lines below, as log-update does", "a\nb\nc\n\x1b[3A\x1b[0Jdone\n", "done\n"],
	["reverse index moves up", "ab\nc\x1bMd", "ad\nc"],
	["moves to the right leave blanks, moves to the left overwrite", "a\x1b[3Cb\x1b[5Dc", "c   b"],
	["erase up to the cursor leaves blanks", "abcdef\x1b[3D\x1b[1Kx", "   xef"],
	["a line that was erased and is written on keeps its columns", "abc\x1b[2Kd", "   d"],
	["a clear screen hides nothing that was printed", "kept\n\x1b[H\x1b[2Jnew\n", "kept\nnew\n"],
	[
		"a cleared screen and a cursor that goes home begin a new line",
		"50%\x1b[2J\x1b[H60%\x1b[H70%\n",
		"50%\n60%\n70%\n",
	],
	[
		"a cursor that was saved is restored, as with tput sc and rc",
		"at \x1b71%\x1b8\x1b[K99%\x1b[s\n!\x1b[u.\n",
		"at 99%.\n!",
	],
	["a cursor that was never saved is not restored", "a\nb\x1b8c\n", "a\nbc\n"],
	[
		"a status line at the bottom of the screen, as apt has it, stands in lines of its own",
		"one\n\x1b7\x1b[24;0fbar 10%\x1b8two\n\x1b7\x1b[24;0fbar 20%\x1b8three\n",
		"one\nbar 10%\ntwo\nbar 20%\nthree\n",
	],
	["a saved place that is gone is the nearest one", "a\nb\x1b[s\x1b[A\x1b[J\x1b[uc", "ac"],
	["keyboard modes, which end like a restored cursor, go", "ab\x1b[>1uc\x1b[<ud\n", "abcd\n"],
	["index and next line move down", "a\x1bDb\x1bEc\n", "a\n b\nc\n"],
	["deleted characters go, erased ones are blanks", "abcdef\r\x1b[2Pxy\x1b[X\n", "xy f\n"],
	["deleted lines go, inserted ones are blank", "a\nb\nc\n\x1b[3A\x1b[2M\x1b[Lnew\n", "new\nc\n"],
	["a very long line stays whole", `${"x".repeat(10_000)}\r\n`, `${"x".repeat(10_000)}\n`],
];

for (const [title, raw, shown] of CASES)
	test(title, () => {
		expect(plainText(raw)).toBe(shown);
	});

test("hostile input of half a megabyte takes no time to speak of", () => {
	const units =
		"\x1b, \x1b[, \x1bP, \x1b], \r, \b, a\rb, \x1b[1;, \x1bPa\n, \x1b[9999G, \x1b[1K, \x1b[2Kb, \x1b[A\x1b[2Kb, \x1b[99L, a\x1b[A\x1b[M, abc\r\x1b[P\x1b[X, \x1b[Ha\x1b[2J, \x1b7a\n\x1b8";
	for (const unit of units.split(", ")) {
		const text = unit.repeat(500_000 / unit.length);
		expect(cpuMs(() => plainText(text))).toBeLessThan(10_000);
	}
});

test("pieces cut anywhere give what the whole gives, and lines far above are given early", () => {
	const whole = CASES.map(([, raw]) => `${raw.replaceAll("\x1b[H", "")}\n`).join("");
	for (const size of [1, 2, 3, 7, 50]) {
		let shown = "";
		const rendering = new Rendering((text) => {
			shown += text;
		});
		const characters = [...whole];
		for (let at = 0; at < characters.length; at += size) rendering.write(characters.slice(at, at + size).join(""));
		rendering.end();
		expect(shown).toBe(plainText(whole));
	}
	const given: string[] = [];
	new Rendering((text) => given.push(text)).write("\x1b[mline\n".repeat(1000));
	expect(given.join("").length).toBeGreaterThan(3000);
});

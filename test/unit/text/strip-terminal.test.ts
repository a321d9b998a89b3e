import { expect, test } from "vitest";
import { plainText } from "../../../src/text/strip-terminal.ts";
import { cpuMs } from "../cpu-ms.ts";

const CASES: [title: string, raw: string, shown: string][] = [
	["plain text passes untouched", "a\tb\n\nc é 👍\n", "a\tb\n\nc é 👍\n"],
	["colours go", "\x1b[1;31mred\x1b[0m and \x1b[38:2::255:0:0mtrue\x1b[m", "red and true"],
	["cursor moves and private modes go", "\x1b[2J\x1b[H\x1b[?25lhi\x1b[?25h\x1b[10;20H!", "hi!"],
	["a colour cut at the end goes", "end\x1b[3", "end"],
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
];

for (const [title, raw, shown] of CASES)
	test(title, () => {
		expect(plainText(raw)).toBe(shown);
	});

test("hostile input of half a megabyte takes no time to speak of", () => {
	for (const unit of ["\x1b", "\x1b[", "\x1bP", "\x1b]", "\r", "\b", "a\rb", "\x1b[1;", "\x1bPa\n", "\x1b[9999G"]) {
		const text = unit.repeat(500_000 / unit.length);
		expect(cpuMs(() => plainText(text))).toBeLessThan(2_000);
	}
});

import { expect, onTestFinished, test, vi } from "vitest";
import { type Colors, colorsOf, sgrOf } from "../../../../src/tui/screen/paint.ts";
import type { Style } from "../../../../src/tui/text/line.ts";

const TONES = [
	"plain",
	"strong",
	"dim",
	"heading",
	"busy",
	"calm",
	"good",
	"bad",
	"warn",
	"alert",
] as const satisfies Style[];
const sgr = (style: Style, colors: Colors, isSelected = false) => sgrOf({ text: "", style, isSelected }, colors);

/** Red, green and blue of a color of the 256. */
function colorOf(number: number): number[] {
	if (number >= 232) return Array(3).fill(8 + 10 * (number - 232));
	const steps = [0, 95, 135, 175, 215, 255];
	return [36, 6, 1].map((weight) => steps[Math.floor((number - 16) / weight) % 6] ?? 0);
}

/** As WCAG 2 defines it. */
function luminance(color: number[]): number {
	const [red = 0, green = 0, blue = 0] = color
		.map((part) => part / 255)
		.map((part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
	return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

test("each color of the 256 can be read on black and on white", () => {
	// Seen to fail with cyan, green and yellow as terminals have them.
	const numbers = TONES.flatMap((tone) => /38;5;(\d+)/.exec(sgr(tone, "many"))?.[1] ?? []).map(Number);
	expect(numbers.length).toBeGreaterThan(5);
	const contrasts = numbers.map((number) => {
		const own = luminance(colorOf(number));
		return Math.min(1.05 / (own + 0.05), (own + 0.05) / 0.05);
	});
	expect(contrasts.filter((contrast) => contrast < 3.9)).toEqual([]);
});

test("without colors all that is a color alone is gone; bold, dim and inverse stay", () => {
	expect(Object.fromEntries(TONES.map((tone) => [tone, sgr(tone, "none")]))).toEqual({
		...{ plain: "", busy: "", calm: "", good: "", warn: "" },
		...{ strong: "1", heading: "1", bad: "1", dim: "2", alert: "1;7" },
	});
	for (const colors of ["none", "few", "many"] as const)
		for (const tone of TONES) expect(sgr(tone, colors, true)).toMatch(/^(1;)?7$/);
});

test.each([
	[{ TERM: "xterm-256color" }, "many"],
	[{ TERM: "xterm-kitty", COLORTERM: "truecolor" }, "many"],
	[{ TERM: "tmux-256color", TMUX: "/tmp/tmux-0/default,1,0" }, "many"],
	[{ TERM: "xterm" }, "few"],
	[{ TERM: "linux" }, "few"],
	[{ TERM: "screen" }, "few"],
	[{ TERM: "xterm-256color", NO_COLOR: "1" }, "none"],
	[{ TERM: "xterm-256color", NO_COLOR: "" }, "many"],
	[{ TERM: "xterm", FORCE_COLOR: "2", NODE_DISABLE_COLORS: "1" }, "many"],
	[{ TERM: "dumb" }, "none"],
	[{}, "none"],
])("the environment %j means %s colors", (env, colors) => {
	const warned = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
	onTestFinished(() => warned.mockRestore());
	expect(colorsOf(env)).toBe(colors);
	expect(warned).not.toHaveBeenCalled();
});

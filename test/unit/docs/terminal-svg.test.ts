import { resolve } from "node:path";
import { expect, test } from "vitest";
import { sgrOf } from "../../../src/tui/screen/paint.ts";
import type { Style } from "../../../src/tui/text/line.ts";

const { svgOf } = (await import(resolve("docs/picture/terminal-svg.mjs"))) as {
	svgOf: (screen: string, options: { columns: number; rows: number; title: string }) => string;
};

const TONES: readonly Style[] = [
	...(["plain", "strong", "dim", "heading", "busy", "calm", "good", "bad", "warn", "alert"] as const),
];

/** What is drawn of a screen, below the bar of the window. */
function drawnOf(screen: string): string[] {
	const lines = svgOf(screen, { columns: 20, rows: 2, title: "T" }).split("\n");
	return lines.slice(lines.findIndex((line) => line.includes(">T</text>")) + 1, lines.indexOf("</svg>"));
}

test("each piece of text stands at its column and is as long as its columns", () => {
	expect(drawnOf(" ab c  ✓ d")).toEqual([
		'<text x="22.4" y="61.5" textLength="33.6" lengthAdjust="spacingAndGlyphs">ab c</text>',
		'<text x="72.8" y="61.5" textLength="8.4" lengthAdjust="spacingAndGlyphs">✓</text>',
		'<text x="89.6" y="61.5" textLength="8.4" lengthAdjust="spacingAndGlyphs">d</text>',
	]);
});

test("a style holds until it is changed, also in the next line, and what lies beyond the screen is left out", () => {
	const [one, two, ...more] = drawnOf("\u001b[1;31ma\n\u001b[22mb\u001b[0m\nc");
	expect([one, two, more]).toEqual([
		expect.stringMatching(/class="b" style="fill:#f2777a">a</),
		expect.stringMatching(/Glyphs" style="fill:#f2777a">b</),
		[],
	]);
});

test("a selected line is a bar in the color of text, with dark text on it", () => {
	expect(drawnOf("\u001b[7m a \u001b[0m")).toEqual([
		'<rect x="14" y="48" width="25.2" height="18" fill="#d6dae2"/>',
		expect.stringMatching(/style="fill:#16191f">a</),
	]);
});

test("the lines of a tree and of a box are drawn, without gaps between rows", () => {
	expect(drawnOf("│\n└──")).toEqual([
		'<path d="M18.2 57V48M18.2 57V66" stroke="#d6dae2"/>',
		'<path d="M18.2 75V66M18.2 75H22.4" stroke="#d6dae2"/>',
		'<path d="M22.4 75H39.2" stroke="#d6dae2"/>',
	]);
});

test("the frame of the pane that has the keys is drawn with heavy lines", () => {
	expect(drawnOf("┏━━┓\n┃")).toEqual([
		'<path d="M18.2 57V66M18.2 57H22.4" stroke="#d6dae2" stroke-width="2.5"/>',
		'<path d="M22.4 57H39.2" stroke="#d6dae2" stroke-width="2.5"/>',
		'<path d="M43.4 57V66M43.4 57H39.2" stroke="#d6dae2" stroke-width="2.5"/>',
		'<path d="M18.2 75V66M18.2 75V84" stroke="#d6dae2" stroke-width="2.5"/>',
	]);
});

test.each(TONES)("text that is %s has a look of its own", (tone) => {
	const looks = (one: Style) => drawnOf(`\u001b[${sgrOf({ text: "", style: one }, "many")}ma\u001b[0m`);
	expect(TONES.filter((other) => looks(other).join() === looks(tone).join())).toEqual([tone]);
});

test("what would be markup is text", () => {
	expect(drawnOf('<(a & "b")')).toEqual([expect.stringContaining(">&#60;(a &#38; &#34;b&#34;)<")]);
});

test("a color that nobody chose for the picture is an error, not a guess", () => {
	expect(() => drawnOf("\u001b[38;5;99ma")).toThrow("a color that is not known: 99");
});

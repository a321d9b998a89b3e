import { expect, test } from "vitest";
import type { Line } from "../../../../src/tui/text/line.ts";
import { MarkdownStream } from "../../../../src/tui/text/markdown-stream.ts";
import { diceOf } from "../../dice.ts";

const textOf = (line: Line) => line.map(({ text }) => text).join("");
/** Each text behind its style, but for plain ones. */
const styledOf = (line: Line) =>
	line.map(({ text, style }) => (style === "plain" ? text : `<${style} ${text}>`)).join("");

const ANSWER = `# The parser

The lexer keeps **one token** of lookahead, and \`next()\` never backs up; so a rule that needs two tokens has to be
written by hand. See [the notes](docs/parser.md) for why.


- first, a short item
- second, an item that is so long that it goes on in the next row, and has \`code --with flags\` in it
  1. nested, with **bold words that go
over a line end**

> quoted words of somebody else, which go on for a while and are broken into rows, too

\`\`\`ts
const pattern = /src\\/\\*\\*\\/.*\\.ts/;


	indented(with, tabs);
\`\`\`

| name | what it does | cost |
|:-----|--------------|-----:|
| lexer | makes **tokens** | $0.10 |
| 解析 | | 1 |

---
Last words: __init__ and src/**/*.ts stay as they are.
`;

function streamed(pieces: readonly string[], columns: number): Line[] {
	const stream = new MarkdownStream(() => columns);
	return [...pieces.flatMap((piece) => stream.add(piece)), ...stream.end()];
}

test.each([120, 80, 40])("an answer at %i columns", async (columns) => {
	const lines = streamed([ANSWER], columns).map(styledOf);
	await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot(`screens/markdown-${columns}.txt`);
});

test("however an answer is cut into pieces, the same lines are appended", () => {
	for (const columns of [120, 40, 20]) {
		const whole = streamed([ANSWER], columns).map(styledOf);
		for (let seed = 1; seed <= 50; seed++) {
			const dice = diceOf(seed);
			const pieces: string[] = [];
			for (let at = 0; at < ANSWER.length; ) {
				const length = 1 + dice.roll(dice.pick([2, 10, 100]) ?? 1);
				pieces.push(ANSWER.slice(at, at + length));
				at += length;
			}
			expect(streamed(pieces, columns).map(styledOf), `seed ${seed}, ${columns} columns`).toEqual(whole);
		}
	}
});

test("what has come is either appended or live, with each piece", () => {
	const stream = new MarkdownStream(() => 40);
	const shown: string[] = [];
	for (const character of ANSWER) {
		shown.push(...stream.add(character).map(textOf));
		const live = stream.live().map(textOf);
		expect(live.length).toBeLessThan(10);
	}
	expect(stream.live()).toEqual([]);
	expect(shown.join("\n")).toContain("Last words");
});

test("a line of a megabyte is given as it comes, in time that is in proportion to it", () => {
	const word = "word ".repeat(20);
	const stream = new MarkdownStream(() => 80);
	const started = process.cpuUsage().user;
	let rows = 0;
	for (let at = 0; at < 10_000; at++) rows += stream.add(word).length;
	rows += stream.end().length;
	expect(rows).toBeGreaterThan(12_000);
	expect((process.cpuUsage().user - started) / 1e6).toBeLessThan(20);
	expect(
		streamed(["x".repeat(1_000_000)], 80)
			.map(textOf)
			.join(""),
	).toHaveLength(1_000_000);
});

test("when the terminal gets another width in the middle of a line, no word is lost or told twice", () => {
	let columns = 40;
	const stream = new MarkdownStream(() => columns);
	const words = Array.from({ length: 60 }, (_, n) => `w${n}`);
	const lines: Line[] = [];
	for (const [at, word] of words.entries()) {
		if (at % 7 === 0) columns = 20 + ((at * 13) % 40);
		lines.push(...stream.add(`${word} `));
	}
	lines.push(...stream.end());
	expect(lines.map(textOf).join(" ").split(/\s+/)).toEqual(words);
});

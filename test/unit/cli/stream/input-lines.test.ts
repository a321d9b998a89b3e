import { expect, test } from "vitest";
import { type InputLine, inputLines } from "../../../../src/cli/stream/stream-conversation.ts";

async function linesOf(chunks: readonly string[], most?: number): Promise<string[]> {
	async function* input() {
		for (const chunk of chunks) yield new TextEncoder().encode(chunk);
	}
	const shown = (line: InputLine) =>
		`${line.number} ${line.is === "line" ? new TextDecoder().decode(line.bytes) : line.is}`;
	const lines: string[] = [];
	for await (const line of inputLines(input(), most)) lines.push(shown(line));
	return lines;
}

test("lines are put together over any split, and the last one need not end", async () => {
	expect(await linesOf(["a", "b\nc\n", "\nd", "é"])).toEqual(["1 ab", "2 c", "3 ", "4 dé"]);
	expect(await linesOf([])).toEqual([]);
	expect(await linesOf(["a\n"])).toEqual(["1 a"]);
});

test("a line that is too long is passed over, and the next one is read", async () => {
	expect(await linesOf(["12345", "6\nok\n", "1234567890"], 5)).toEqual(["1 too_long", "2 ok", "3 too_long"]);
	expect(await linesOf(["12345\n"], 5)).toEqual(["1 12345"]);
});

import { expect, test } from "vitest";
import { IncomingLines } from "../../../../src/supervisor/clients/incoming-lines.ts";

/** What is taken of the chunks, to the first that is no line; `room`: the bytes that may be kept. */
function takenOf(chunks: readonly string[], { most = 100, room = 1_000_000 } = {}) {
	const lines = new IncomingLines();
	const taken: string[] = [];
	for (const chunk of chunks) {
		lines.push(Buffer.from(chunk));
		for (;;) {
			const next = lines.take(most, (bytes) => bytes <= room);
			if (next.is === "nothing") break;
			taken.push(next.is === "line" ? next.line.toString() : next.is);
			if (next.is !== "line") return taken;
		}
	}
	return taken;
}

test.each([
	{ title: "several in one chunk", chunks: ["a\nbc\n\nd"], taken: ["a", "bc", ""] },
	{ title: "one over several chunks", chunks: ["a", "b", "c\nd", "\n"], taken: ["abc", "d"] },
	{ title: "a character over two chunks", chunks: ["\n"], taken: [""] },
])("lines are taken one at a time: $title", ({ chunks, taken }) => {
	expect(takenOf(chunks)).toEqual(taken);
});

test("a line is as long as it may be, and no longer, whether its end has come or not", () => {
	expect(takenOf([`${"x".repeat(10)}\n`], { most: 10 })).toEqual(["x".repeat(10)]);
	expect(takenOf([`${"x".repeat(11)}\n`], { most: 10 })).toEqual(["too_long"]);
	expect(takenOf(["x".repeat(6), "x".repeat(5)], { most: 10 })).toEqual(["too_long"]);
});

test("what has begun of a line waits for room, and is not lost", () => {
	const lines = new IncomingLines();
	lines.push(Buffer.from("ab"));
	expect(lines.take(100, () => false)).toEqual({ is: "no_room" });
	expect(lines.take(100, () => true)).toEqual({ is: "nothing" });
	lines.push(Buffer.from("c\n"));
	expect(lines.take(100, () => false)).toEqual({ is: "line", line: Buffer.from("abc") });
});

test("a line that comes byte by byte needs room for little more than itself", () => {
	// Seen with a piece for each chunk: a hundred times the bytes of the line.
	const asked: number[] = [];
	const lines = new IncomingLines();
	for (let n = 0; n < 10_000; n++) {
		lines.push(Buffer.from("x"));
		lines.take(20_000, (bytes) => asked.push(bytes) > 0);
	}
	expect(asked).toEqual([4_096, 8_192, 16_384]);
});

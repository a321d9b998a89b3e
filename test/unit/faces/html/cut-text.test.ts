import { expect, test } from "vitest";
import { cutText, roomFor } from "../../../../src/faces/html/markup.ts";

test("a text that is little longer than its room is whole", () => {
	expect(cutText("x".repeat(6_500)).text).toBe("x".repeat(6_500));
});

test("of a longer one there is the beginning and the end, and how much is left out of how much", () => {
	const { text } = cutText(`${"a".repeat(5_000)}<${"b".repeat(5_000)}`);
	expect(text).toBe(
		`${"a".repeat(4_000)}\n<i class="cut">… 4001 of 10001 characters omitted …</i>\n${"b".repeat(2_000)}`,
	);
	expect(cutText("c".repeat(20_000), 4).text).toBe("c".repeat(20_000));
});

test("a cut splits no character, and goes where a line ends", () => {
	const lines = `${"line\n".repeat(790)}${"long".repeat(1_000)}\n${"line\n".repeat(390)}`;
	const { text } = cutText(lines);
	expect(text).toBe(
		`${"line\n".repeat(790).trimEnd()}\n<i class="cut">… 4002 of 9901 characters omitted …</i>\n${"line\n".repeat(390)}`,
	);
	expect(cutText("😀".repeat(6_000)).text).not.toContain("\ufffd");
});

test("texts on the page of a large run have less room, so that it can be opened, but always some", () => {
	const MB = 1024 * 1024;
	expect([0, 1, 32 * MB, 64 * MB, 512 * MB, 9e12].map(roomFor)).toEqual([1, 1, 1, 0.5, 0.0625, 0.05]);
});

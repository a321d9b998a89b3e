import { expect, test } from "vitest";
import { MAX_TOGETHER, shareResultRoom } from "../../../../src/agent/bash/tool-calls.ts";

const long = (length: number, log?: string) => ({ text: "x".repeat(length), log });
const sum = (texts: string[]) => texts.reduce((total, { length }) => total + length, 0);

test("results that fit together stay whole", () => {
	const texts = [long(50_000), long(0), long(150_000)];
	expect(shareResultRoom(texts)).toEqual(texts.map(({ text }) => text));
});

// Seen to fail when each result was cut to an equal part of the room.
test("short results stay whole, and the long ones share what those leave evenly", () => {
	const fitted = shareResultRoom([...Array.from({ length: 8 }, () => long(50_000)), long(40)]);
	expect(sum(fitted)).toBeLessThanOrEqual(MAX_TOGETHER);
	expect(sum(fitted)).toBeGreaterThan(MAX_TOGETHER - 100);
	expect(fitted.at(-1)).toBe("x".repeat(40));
	expect(new Set(fitted.slice(0, 8).map(({ length }) => length)).size).toBe(1);
});

test("a result that is cut keeps its beginning and its end, and names the file that holds the whole", () => {
	const text = `begin${"-".repeat(10_000)}[exit status 3]`;
	const [cut, bare] = shareResultRoom(
		[
			{ text, log: "/run/1/out/0001.log" },
			{ text, log: undefined },
		],
		4_000,
	);
	expect(cut).toMatch(
		/^begin-+\n\[\.\.\. the middle is left out because 2 results share the space; the whole is in \/run\/1\/out\/0001\.log \.\.\.\]\n-+\[exit status 3\]$/,
	);
	expect(bare).toContain("no file holds the rest");
});

test("thirty results of the longest kind stay within the room, and no character is cut in two", () => {
	const fitted = shareResultRoom(Array.from({ length: 30 }, () => ({ text: "🙂".repeat(25_000), log: "/l" })));
	expect(sum(fitted)).toBeLessThanOrEqual(MAX_TOGETHER);
	expect(fitted.every((text) => text.isWellFormed())).toBe(true);
});

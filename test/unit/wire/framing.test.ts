import { expect, test } from "vitest";
import { encode, lineReader } from "../../../src/wire/connection.ts";
import { diceOf } from "../dice.ts";

/** The lines that come out when the bytes come in as these chunks. */
function linesOf(chunks: Buffer[]): string[] {
	const lines: string[] = [];
	const read = lineReader((line) => lines.push(line));
	for (const chunk of chunks) read(chunk);
	return lines;
}

function inChunks(bytes: Buffer, size: () => number): Buffer[] {
	const chunks: Buffer[] = [];
	for (let at = 0; at < bytes.length; ) {
		const length = Math.max(1, size());
		chunks.push(bytes.subarray(at, at + length));
		at += length;
	}
	return chunks;
}

const MESSAGES = [
	{ say: "ask", text: "two\nlines\r\nand a tab\t" },
	{ text: "ä€😀\u2028\u2029\u0000" },
	{ text: "" },
	{ nested: { list: [1, "x", null] } },
];

test("a message is one line, whatever text is in it", () => {
	for (const message of MESSAGES) {
		const line = encode(message);
		expect(line.indexOf("\n")).toBe(line.length - 1);
		expect(JSON.parse(line)).toEqual(message);
	}
});

test("messages come out whole from every split of their bytes, one byte at a time and in the middle of a character", () => {
	const bytes = Buffer.from(MESSAGES.map(encode).join(""));
	const dice = diceOf(3);
	const sizes = [() => 1, () => 2, () => 3, () => 5, () => bytes.length, () => 1 + dice.roll(20)];
	for (const size of sizes) expect(linesOf(inChunks(bytes, size)).map((line) => JSON.parse(line))).toEqual(MESSAGES);
	for (let at = 0; at <= bytes.length; at++)
		expect(linesOf([bytes.subarray(0, at), bytes.subarray(at)])).toHaveLength(MESSAGES.length);
});

test("several lines in one chunk come one after the other, and an unfinished one does not come", () => {
	expect(linesOf([Buffer.from("a\nb\n\nc")])).toEqual(["a", "b", ""]);
	expect(linesOf([Buffer.from("a"), Buffer.from("b"), Buffer.from("")])).toEqual([]);
	expect(linesOf([Buffer.from("a"), Buffer.from("b"), Buffer.from("\n")])).toEqual(["ab"]);
});

test("half a surrogate pair does not break the line", () => {
	expect(JSON.parse(encode({ text: "\ud83d!" }))).toEqual({ text: "\ud83d!" });
	expect(linesOf([Buffer.from(encode({ text: "\ud83d!" }))]).map((line) => JSON.parse(line))).toEqual([
		{ text: "\ud83d!" },
	]);
});

test("a line of 6 MiB in chunks of 64 KiB comes whole", () => {
	const text = "0123456789abcdeé".repeat(6 * 65_536);
	const lines = linesOf(inChunks(Buffer.from(encode({ text })), () => 65_536));
	expect(lines).toHaveLength(1);
	expect(JSON.parse(lines[0] ?? "").text === text).toBe(true);
});

test("a line that no string could hold is given up, before it is put together", () => {
	const chunk = Buffer.alloc(32 * 1024 * 1024, "x");
	const read = lineReader(() => {});
	expect(Array.from({ length: 13 }, () => read(chunk))).toEqual([...Array(12).fill(true), false]);
});

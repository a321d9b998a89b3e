import { expect, test } from "vitest";
import { LineSplitter } from "../../../src/text/line-splitter.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text);

function linesOf(chunks: Uint8Array[]): { lines: string[]; restBytes: number } {
	const splitter = new LineSplitter();
	const lines = chunks.flatMap((chunk) => [...splitter.push(chunk)]);
	return { lines, restBytes: splitter.restBytes };
}

test("lines come out whole from every split of their bytes, and what is not whole does not", () => {
	const bytes = bytesOf("ä€😀\n\nab\r\nrest");
	for (let a = 0; a <= bytes.length; a++)
		for (let b = a; b <= bytes.length; b++) {
			const chunks = [bytes.subarray(0, a), bytes.subarray(a, b), bytes.subarray(b)];
			expect(linesOf(chunks)).toEqual({ lines: ["ä€😀", "", "ab\r"], restBytes: 4 });
		}
});

test("a chunk's memory may be used anew for the next one", () => {
	const splitter = new LineSplitter();
	const chunk = bytesOf("abc");
	expect([...splitter.push(chunk)]).toEqual([]);
	chunk.set(bytesOf("d\ne"));
	expect([...splitter.push(chunk)]).toEqual(["abcd"]);
	expect(splitter.restBytes).toBe(1);
});

test("a mark of the byte order is a character like others, and bytes that are none are replaced", () => {
	expect(linesOf([new Uint8Array([0xef, 0xbb, 0xbf, 0x61, 0xff, 0x0a])]).lines).toEqual(["\ufeffa\ufffd"]);
});

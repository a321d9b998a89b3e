import { expect, test } from "vitest";
import { OutputLines } from "../../../../src/view/follow/command-outputs.ts";

const T0 = 1_800_000_000_000;
const bytes = (text: string) => new TextEncoder().encode(text);

test("lines are told when they have ended, whole, however the output is cut into chunks", () => {
	const text = "één\n\u001b[31mréd\u001b[0m\n\n10%\r20%\r100%\nlast";
	for (let size = 1; size <= 12; size++) {
		const output = new OutputLines();
		const all = bytes(text);
		const lines: string[] = [];
		for (let at = 0; at < all.length; at += size) lines.push(...output.push(all.subarray(at, at + size), 0));
		expect([...lines, ...output.end()]).toEqual(["één", "réd", "", "100%", "last"]);
	}
});

test("a line that has begun is told when nothing follows for a second, and then only how it goes on", () => {
	const output = new OutputLines();
	expect(output.push(bytes("first\nContinue? [y/N] "), T0 + 5_000)).toEqual(["first"]);
	expect(output.tick(T0 + 5_999)).toEqual([]);
	expect(output.tick(T0 + 6_000)).toEqual(["Continue? [y/N] "]);
	expect(output.tick(T0 + 9_000)).toEqual([]);
	expect(output.push(bytes("y\nok\n"), T0 + 9_500)).toEqual(["y", "ok"]);
	output.push(bytes("and"), T0 + 10_000);
	expect([...output.tick(T0 + 11_000), ...output.push(bytes("\n"), T0 + 11_500)]).toEqual(["and"]);
	expect(output.end()).toEqual([]);
});

test("a progress bar that never rests is told every ten seconds, in its newest state", () => {
	const output = new OutputLines();
	const told: string[] = [];
	for (let at = 100; at <= 25_000; at += 100) {
		output.push(bytes(`\r${at} of 25000`), T0 + at);
		told.push(...output.tick(T0 + at));
	}
	expect(told).toEqual(["10100 of 25000", "20100 of 25000"]);
	expect(output.push(bytes("\r\u001b[Kdone\n"), T0 + 25_100)).toEqual(["done"]);
});

test("a line that does not end is told in pieces, so that memory holds no more of it", () => {
	const output = new OutputLines();
	const lines = [...output.push(bytes("x".repeat(70_000)), 0), ...output.push(bytes("y".repeat(10)), 0)];
	expect(lines.map(({ length }) => length)).toEqual([70_000]);
	expect(output.end()).toEqual(["y".repeat(10)]);
});

test("after a part was left out, what comes begins anew", () => {
	const output = new OutputLines();
	output.push(bytes("begun"), 0);
	output.tick(5_000);
	output.skip();
	expect(output.push(bytes("whole\n"), 6_000)).toEqual(["whole"]);
});

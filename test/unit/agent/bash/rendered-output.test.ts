import { expect, test } from "vitest";
import { RenderedOutput } from "../../../../src/agent/bash/output.ts";
import { plainText } from "../../../../src/text/safe/strip-terminal.ts";
import { diceOf } from "../../dice.ts";

function rendered(bytes: Uint8Array, sizes: () => number): { text: string; mostHeld: number } {
	const taken: Buffer[] = [];
	let given = 0;
	let mostHeld = 0;
	const output = new RenderedOutput((part) => {
		taken.push(Buffer.from(part));
		given += part.length;
	});
	for (let at = 0; at < bytes.length; ) {
		const size = sizes();
		output.add(bytes.subarray(at, at + size));
		at += size;
		mostHeld = Math.max(mostHeld, Math.min(at, bytes.length) - given);
	}
	output.end();
	return { text: Buffer.concat(taken).toString(), mostHeld };
}

test("an output in any chunks is what it is as a whole, as long as nothing moves up far", () => {
	const parts = [
		"plain é👍\n",
		"10%\r",
		"\x1b[31mred\x1b[0m\n",
		"\b",
		"\x1b[A\x1b[2K",
		"long ".repeat(50),
		"\x1b]0;t\x07",
		"\r\n",
	];
	for (let seed = 1; seed <= 60; seed++) {
		const dice = diceOf(seed);
		const text = Array.from({ length: 80 }, () => dice.pick(parts)).join("");
		const { text: shown } = rendered(Buffer.from(text), () => 1 + dice.roll(40));
		expect(shown).toBe(plainText(text));
	}
});

test("a move up after much that only printed still finds the lines before it", () => {
	const lines = Array.from({ length: 5000 }, (_, n) => `line ${n} é\n`).join("");
	const { text } = rendered(Buffer.from(`${lines}\x1b[2A\x1b[2Kchanged\n`), () => 4096);
	expect(text).toBe(`${lines.replace("line 4998 é", "changed")}`);
});

test("bytes that only print pass to the byte, invalid ones too, and little is held", () => {
	const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, n) => [0xc3, 0xff, 0x0a, 0x41, 0x00][n % 5] ?? 0));
	const taken: Buffer[] = [];
	const output = new RenderedOutput((part) => taken.push(Buffer.from(part)));
	for (let at = 0; at < bytes.length; at += 1000) output.add(bytes.subarray(at, at + 1000));
	output.end();
	expect(Buffer.concat(taken).equals(bytes)).toBe(true);
	expect(rendered(bytes, () => 65_536).mostHeld).toBeLessThan(100_000);
});

test("a character that is parted between a chunk that prints and one that moves comes out whole", () => {
	const bytes = Buffer.from("a€\rb👍\n€");
	for (let cut = 1; cut < bytes.length; cut++) {
		const sizes = [cut, bytes.length];
		expect(rendered(bytes, () => sizes.shift() ?? 1).text).toBe("b👍\n€");
	}
});

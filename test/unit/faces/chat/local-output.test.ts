import { expect, test } from "vitest";
import { LocalOutput } from "../../../../src/faces/chat/local-output.ts";
import { keepSecrets } from "../../../../src/text/safe/keep-secrets.ts";

const bytes = (text: string) => Buffer.from(text);
const numbers = (count: number) => Array.from({ length: count }, (_, n) => `line ${n + 1}`);

function printed(...chunks: string[]) {
	const output = new LocalOutput();
	const shown = chunks.flatMap((chunk) => output.push(bytes(chunk), 0));
	return { output, shown, atEnd: output.close() };
}

test("a short output is shown and kept as it is, the state of a progress bar as it was last", () => {
	const { output, shown, atEnd } = printed("one\ntw", "o\n10 %\r100 %\nno end");
	expect([shown, atEnd]).toEqual([["one", "two", "100 %"], ["no end"]]);
	expect(output.kept).toBe("one\ntwo\n100 %\nno end\n");
});

test("of many lines the first are shown, and at the end the last, with how many were between", () => {
	const lines = numbers(10_000);
	const { output, shown, atEnd } = printed(`${lines.join("\n")}\n`);
	expect(shown).toEqual(lines.slice(0, 500));
	expect(atEnd).toEqual(["… 9480 lines omitted", ...lines.slice(-20)]);
	expect(output.kept).toMatch(/^line 1\n[\s\S]*\n\[… much omitted\]\n[\s\S]*\nline 10000\n$/);
	expect(output.kept.length).toBeLessThan(25_000);
});

test("a line that does not end is shown and kept in parts", () => {
	const { output, shown, atEnd } = printed(...Array.from({ length: 200 }, () => "x".repeat(65_536)), "y");
	expect(shown.join("").length).toBeLessThan(200_000);
	expect(atEnd[0]).toBe("… output omitted");
	expect(atEnd.at(-1)).toMatch(/^x{0,1999}y$/);
	expect(output.kept.length).toBeLessThan(25_000);
});

test("what comes after what is shown costs next to nothing", () => {
	const output = new LocalOutput();
	const chunk = bytes("y\n".repeat(32_768));
	const before = process.cpuUsage();
	for (let n = 0; n < 400; n++) output.push(chunk, 0);
	const { user } = process.cpuUsage(before);
	expect(output.close()[0]).toMatch(/^… 131066\d\d lines omitted$/);
	expect(user / 1_000).toBeLessThan(10_000);
});

test("keys are neither shown nor kept", () => {
	keepSecrets(["sk-very-secret-1234"]);
	const output = new LocalOutput();
	expect(output.push(bytes("key=sk-very-secret-1234\n"), 0)).toEqual(["key=[redacted]"]);
	expect(output.kept).not.toContain("secret-1234");
	keepSecrets([]);
});

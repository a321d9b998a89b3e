import { expect, test } from "vitest";
import { LocalOutput } from "../../../src/chat/local-output.ts";
import { keepSecrets } from "../../../src/text/redact.ts";

const bytes = (text: string) => Buffer.from(text);
const lines = (count: number) => Array.from({ length: count }, (_, n) => `line ${n + 1}`);

test("whole lines are shown as they come, as a terminal would leave them, and kept", () => {
	const output = new LocalOutput();
	expect(output.push(bytes("one\n10 %\r20 %\n\u001b[31mre"), 0)).toEqual(["one", "20 %"]);
	expect(output.push(bytes("d\u001b[m\nrest"), 0)).toEqual(["red"]);
	expect(output.close()).toEqual(["rest"]);
	expect(output.kept).toBe("one\n20 %\nred\nrest\n");
});

test("of many lines the end is shown when it is over, with how many were left out", () => {
	const output = new LocalOutput();
	expect(output.push(bytes(`${lines(1_000).join("\n")}\n`), 0)).toEqual(lines(500));
	expect(output.close()).toEqual(["… 480 lines left out here", ...lines(1_000).slice(-20)]);
});

test("of a long output the beginning and the end are kept, within a bound", () => {
	const output = new LocalOutput();
	output.push(bytes(`${lines(20_000).join("\n")}\n`), 0);
	output.close();
	expect(output.kept.length).toBeLessThan(25_000);
	expect(output.kept).toMatch(/^line 1\n[\s\S]*\n\[… \d+ characters left out\]\n[\s\S]*line 20000\n$/);
});

test("keys are neither shown nor kept", () => {
	keepSecrets(["sk-very-secret-1234"]);
	const output = new LocalOutput();
	expect(output.push(bytes("key=sk-very-secret-1234\n"), 0)).toEqual(["key=[redacted]"]);
	expect(output.kept).not.toContain("secret-1234");
	keepSecrets([]);
});

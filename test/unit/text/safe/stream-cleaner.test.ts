import { expect, test } from "vitest";
import { StreamCleaner, stripControl } from "../../../../src/text/safe/terminal-safe.ts";

const TEXT =
	"a\u001b[31mred\u001b[0m é👍\r\nb\u001b]0;title\u0007c\n\u001b]52;c;aGk=\nd\u202ee\u009b2Jf\rg\n\u001bPimage\u001b\\h ❤️";

test("bytes that are parted anywhere give the same text as the whole", () => {
	const bytes = Buffer.from(TEXT);
	for (let size = 1; size < bytes.length; size++) {
		const cleaner = new StreamCleaner();
		let shown = "";
		for (let at = 0; at < bytes.length; at += size) shown += cleaner.push(bytes.subarray(at, at + size));
		expect(shown + cleaner.end()).toBe(stripControl(TEXT));
	}
});

test("bytes that are no UTF-8 are shown as such, never as C1", () => {
	const cleaner = new StreamCleaner();
	expect(cleaner.push(Buffer.from([0x61, 0x9b, 0x33, 0x0a])) + cleaner.end()).toBe("a\ufffd3\n");
});

test("a line that never ends is given in parts, without control characters", () => {
	const cleaner = new StreamCleaner();
	const part = Buffer.from(`${"a".repeat(600_000)}\u001b[31m`);
	expect(cleaner.push(part)).toBe("");
	expect(cleaner.push(part)).toBe("a".repeat(1_200_000));
});

import { linkSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { copyLines, copyRegular } from "../../../../src/record/files/private-files.ts";
import { temporaryHome } from "../fabricate.ts";

test.each([
	{ text: "a\nb\ntorn", most: 9, copied: "a\nb\n", lines: 2 },
	{ text: "a\nb\nc\n", most: 2, copied: "a\nb\n", lines: 2 },
	{ text: "torn", most: 9, copied: "", lines: 0 },
	{
		text: `${"x".repeat(600_000)}\n${"y".repeat(300_000)}\nz`,
		most: 2,
		copied: `${"x".repeat(600_000)}\n${"y".repeat(300_000)}\n`,
		lines: 2,
	},
	{ text: `${"x".repeat(600_000)}\n${"y".repeat(300_000)}\nz`, most: 1, copied: `${"x".repeat(600_000)}\n`, lines: 1 },
])("of a file with $lines whole lines or more, $lines are copied", ({ text, most, copied, lines }) => {
	const [from, to] = ["from", "to"].map((name) => join(temporaryHome(), name)) as [string, string];
	writeFileSync(from, text);
	expect(copyLines(from, to, most)).toBe(lines);
	expect(readFileSync(to, "utf8")).toBe(copied);
	expect(statSync(to).mode & 0o777).toBe(0o600);
});

test("nothing is copied through a link, and nothing over what is there; what is missing gives an empty file of lines", () => {
	const home = temporaryHome();
	const [secret, link, to] = ["secret", "link", "to"].map((name) => join(home, name)) as [string, string, string];
	writeFileSync(secret, "s\n", { mode: 0o644 });
	symlinkSync(secret, link);
	expect(() => copyLines(link, to, 1)).toThrow(/symbolic link/);
	expect(() => copyRegular(link, to)).toThrow(/symbolic link/);
	expect(copyLines(join(home, "nowhere"), to, 1)).toBe(0);
	expect(() => copyRegular(secret, to)).toThrow(/already exists/);
	linkSync(secret, join(home, "other"));
	copyRegular(join(home, "other"), join(home, "copy"));
	expect(readFileSync(join(home, "copy"), "utf8")).toBe("s\n");
	expect(statSync(join(home, "copy")).mode & 0o777).toBe(0o600);
});

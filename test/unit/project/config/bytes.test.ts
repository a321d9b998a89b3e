import { expect, test } from "vitest";
import { parseBytes } from "../../../../src/project/config/read-limits.ts";

test.each([
	["4096", 4096],
	["500M", 524_288_000],
	["2g", 2_147_483_648],
	["1GiB", 1_073_741_824],
	["1KB", 1024],
	["0", 0],
])("%s is %i bytes", (text, bytes) => expect(parseBytes(text)).toBe(bytes));

test.each(["", "much", "-1G", "1.5G", "1P", "G", "1 G"])("%j is no size", (text) =>
	expect(parseBytes(text)).toBeUndefined(),
);

import { expect, test } from "vitest";
import { DEFAULT_BOUNDS } from "../../../../src/core/limits/shortage.ts";
import { readBounds } from "../../../../src/project/config/read-limits.ts";

test("without a variable, or with an empty one, the defaults hold: 2 GiB of output, 1 GiB of disk, 10 % of memory", () => {
	expect(readBounds({ AGENTREE_MAX_OUTPUT: "" })).toEqual(DEFAULT_BOUNDS);
	expect(DEFAULT_BOUNDS).toEqual({
		maxOutputBytes: 2147483648,
		keepFreeDiskBytes: 1073741824,
		keepFreeMemoryPercent: 10,
	});
});

test.each([
	["4096", 4096],
	["500M", 524288000],
	["2g", 2147483648],
	["1GiB", 1073741824],
	["0", 0],
])("a size may be written as %s", (text, maxOutputBytes) => {
	expect(readBounds({ AGENTREE_MAX_OUTPUT: text })).toMatchObject({ maxOutputBytes });
});

test.each([
	["AGENTREE_MAX_OUTPUT", "much"],
	["AGENTREE_KEEP_FREE_DISK", "-1G"],
	["AGENTREE_KEEP_FREE_MEMORY", "101%"],
])("%s=%s is a usage error that names it", (name, value) => {
	expect(() => readBounds({ [name]: value })).toThrow(expect.objectContaining({ code: "usage" }));
	expect(() => readBounds({ [name]: value })).toThrow(`${name} must be`);
});

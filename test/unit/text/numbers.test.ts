import { expect, test } from "vitest";
import { formatTokens, ordinal } from "../../../src/text/numbers.ts";

test.each([
	[0, "0"],
	[999, "999"],
	[1000, "1.0k"],
	[12_345, "12.3k"],
	[999_949, "999.9k"],
	[999_950, "1.0M"],
	[1_234_567, "1.2M"],
])("%d tokens read %s", (tokens, text) => expect(formatTokens(tokens)).toBe(text));

test("an ordinal is written as it is spoken", () => {
	expect([1, 2, 3, 4, 5, 11, 12, 13, 20, 21, 102, 111].map(ordinal).join(" ")).toBe(
		"1st 2nd 3rd 4th 5th 11th 12th 13th 20th 21st 102nd 111th",
	);
});

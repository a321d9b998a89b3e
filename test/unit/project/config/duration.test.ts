import { expect, test } from "vitest";
import { parseDuration } from "../../../../src/project/config/read-limits.ts";

test.each([
	["500ms", 500],
	["90s", 90_000],
	["30m", 1_800_000],
	["2h", 7_200_000],
	["1d", 86_400_000],
	["1h30m", 5_400_000],
	["1.5h", 5_400_000],
	["0.001s", 1],
	["5m5ms", 300_005],
	["0s", 0],
])("%s is %i ms", (text, ms) => {
	expect(parseDuration(text)).toBe(ms);
});

test.each(["", "90", "s", "-5s", "5 s", "5S", "1e3s", "1h 30m", "h1", "1.s", ".5s", "5s\n", "∞", "5min", "1,5h"])(
	"%j is no duration",
	(text) => {
		expect(parseDuration(text)).toBeUndefined();
	},
);

test("a long text that is no duration is refused at once", () => {
	expect(parseDuration(`${"1s".repeat(20_000)}x`)).toBeUndefined();
});

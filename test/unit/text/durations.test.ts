import { expect, test } from "vitest";
import { formatAge, formatDuration, formatElapsed, formatWait } from "../../../src/text/durations.ts";

test.each([
	[-5, "0ms"],
	[0, "0ms"],
	[850.9, "850ms"],
	[999, "999ms"],
	[1000, "1s"],
	[12_999, "12s"],
	[59_999, "59s"],
	[60_000, "1m00s"],
	[185_000, "3m05s"],
	[3_599_999, "59m59s"],
	[3_720_000, "1h02m"],
	[360_000_000, "100h00m"],
])("a duration of %d ms reads %s", (ms, text) => expect(formatDuration(ms)).toBe(text));

test.each([
	[-5, "0s"],
	[999, "0s"],
	[1000, "1s"],
	[185_000, "3m05s"],
])("what has been going on for %d ms reads %s", (ms, text) => expect(formatElapsed(ms)).toBe(text));

test.each([
	[-3_600_000, "0 s"],
	[0, "0 s"],
	[1, "1 s"],
	[59_001, "1m00s"],
])("a wait of %d ms reads %s", (ms, text) => expect(formatWait(ms)).toBe(text));

test.each([
	[-5, "0s"],
	[59_999, "59s"],
	[60_000, "1m"],
	[3_599_999, "59m"],
	[3_600_000, "1h"],
	[47 * 3_600_000, "47h"],
	[48 * 3_600_000, "2d"],
	[400 * 86_400_000, "400d"],
])("an age of %d ms reads %s", (ms, text) => expect(formatAge(ms)).toBe(text));

import { expect, test } from "vitest";
import { markOf, parseMark } from "../../../src/processes/run-mark.ts";

const limits = (locks: string | number) =>
	`Limit                     Soft Limit           Hard Limit           Units\nMax file locks            unlimited            ${locks}     locks\nMax pending signals       63       63       signals\n`;

test("the mark of a run is read back from the limits of a process", () => {
	const mark = markOf("20261128-113513-3y8j");
	expect(parseMark(limits(mark))).toBe(mark);
	expect(Number.isSafeInteger(mark)).toBe(true);
	expect(markOf("20261128-113513-3y8k")).not.toBe(mark);
});

test("a process without a limit, or with one that somebody has set by hand, has no mark", () => {
	expect([limits("unlimited"), limits(1024), limits(2 ** 53), ""].map(parseMark)).toEqual(Array(4).fill(undefined));
});

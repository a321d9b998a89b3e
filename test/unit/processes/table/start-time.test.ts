import { expect, test } from "vitest";
import { hasStartedBefore, isSameStart, secondsAsStartTime } from "../../../../src/processes/table/process-table.ts";

test("two starts in ticks are the same only when all their digits are", () => {
	expect(isSameStart("8861", "8861")).toBe(true);
	expect(isSameStart("8861", "8862")).toBe(false);
});

test("starts in seconds are the same when a second apart: the clock may have been set between two looks", () => {
	const at = secondsAsStartTime(1_795_822_342);
	expect(at).toBe("ps:1795822342");
	expect([-2, -1, 0, 1, 2].map((s) => isSameStart(at, secondsAsStartTime(1_795_822_342 + s)))).toEqual([
		...[false, true, true, true, false],
	]);
});

test("starts of two readers are never the same, and neither is before the other", () => {
	for (const [ticks, seconds] of [
		["8861", "ps:8861"],
		["0", "ps:0"],
	] as const) {
		expect([isSameStart(ticks, seconds), isSameStart(seconds, ticks)]).toEqual([false, false]);
		expect([hasStartedBefore(ticks, "ps:99999"), hasStartedBefore(seconds, "99999")]).toEqual([false, false]);
	}
});

test("starts of one reader are ordered by number, those in seconds only when more than a second apart", () => {
	expect([hasStartedBefore("999", "1000"), hasStartedBefore("1000", "1000"), hasStartedBefore("1001", "1000")]).toEqual(
		[true, false, false],
	);
	expect(["ps:97", "ps:98", "ps:99", "ps:100"].map((start) => hasStartedBefore(start, "ps:99"))).toEqual([
		...[true, false, false, false],
	]);
});

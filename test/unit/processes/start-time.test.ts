import { expect, test } from "vitest";
import { hasStartedBefore, isSameStart, secondsAsStartTime } from "../../../src/processes/start-time.ts";

test("a start in ticks is the same only when every digit is", () => {
	expect(isSameStart("8861", "8861")).toBe(true);
	expect(isSameStart("8861", "8862")).toBe(false);
});

test("a start in seconds may be told a second off, when the clock was set between two looks", () => {
	const at = secondsAsStartTime(1_795_822_342);
	expect(at).toBe("ps:1795822342");
	expect([-2, -1, 0, 1, 2].map((s) => isSameStart(at, secondsAsStartTime(1_795_822_342 + s)))).toEqual([
		...[false, true, true, true, false],
	]);
});

test("starts that two readers tell are never the same, and neither is before the other", () => {
	for (const [ticks, seconds] of [
		["8861", "ps:8861"],
		["0", "ps:0"],
	] as const) {
		expect([isSameStart(ticks, seconds), isSameStart(seconds, ticks)]).toEqual([false, false]);
		expect([hasStartedBefore(ticks, "ps:99999"), hasStartedBefore(seconds, "99999")]).toEqual([false, false]);
	}
});

test("starts of one reader have an order by number, seconds only when they are surely apart", () => {
	expect([hasStartedBefore("999", "1000"), hasStartedBefore("1000", "1000"), hasStartedBefore("1001", "1000")]).toEqual(
		[true, false, false],
	);
	expect(["ps:97", "ps:98", "ps:99", "ps:100"].map((start) => hasStartedBefore(start, "ps:99"))).toEqual([
		...[true, false, false, false],
	]);
});

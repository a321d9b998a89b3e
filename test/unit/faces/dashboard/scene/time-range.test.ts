import { expect, test } from "vitest";
import {
	followingNow,
	panned,
	shownInterval,
	steadyInterval,
	type TimeRange,
	WHOLE_TIME,
	zoomed,
} from "../../../../../src/faces/dashboard/scene/time-range.ts";

const WHOLE = { from: 1_000_000, to: 1_800_000 };
const later = { ...WHOLE, to: 1_900_000 };
const zoomedIn = (times: number) =>
	Array.from({ length: times }).reduce<TimeRange>((range) => zoomed(range, WHOLE, "in"), WHOLE_TIME);

test("zooming in shows half as much up to now, which goes on, and zooming out all of it again", () => {
	expect(shownInterval(WHOLE_TIME, WHOLE)).toEqual(WHOLE);
	expect(shownInterval(zoomedIn(2), WHOLE)).toEqual({ from: 1_600_000, to: 1_800_000 });
	expect(shownInterval(zoomedIn(2), later)).toEqual({ from: 1_700_000, to: 1_900_000 });
	const out = zoomed(zoomed(zoomedIn(2), WHOLE, "out"), WHOLE, "out");
	expect(out).toEqual(WHOLE_TIME);
});

test("no less than ten seconds are shown", () => {
	expect(shownInterval(zoomedIn(30), WHOLE)).toEqual({ from: 1_790_000, to: 1_800_000 });
	const short = { from: 0, to: 3_000 };
	expect(zoomed(WHOLE_TIME, short, "in")).toEqual(WHOLE_TIME);
});

test("a part that was moved back stays where it is, is zoomed around its middle, and f follows now again", () => {
	const back = panned(zoomedIn(2), WHOLE, "earlier");
	expect(shownInterval(back, WHOLE)).toEqual({ from: 1_550_000, to: 1_750_000 });
	expect(shownInterval(back, later)).toEqual({ from: 1_550_000, to: 1_750_000 });
	expect(shownInterval(zoomed(back, WHOLE, "in"), WHOLE)).toEqual({ from: 1_600_000, to: 1_700_000 });
	expect(shownInterval(followingNow(back), later)).toEqual({ from: 1_700_000, to: 1_900_000 });
	expect(followingNow(WHOLE_TIME)).toEqual(WHOLE_TIME);
});

test("nothing before the run and nothing to come is shown; at the end it follows now", () => {
	let range = zoomedIn(1);
	for (let press = 0; press < 50; press++) range = panned(range, WHOLE, "earlier");
	expect(shownInterval(range, WHOLE)).toEqual({ from: 1_000_000, to: 1_400_000 });
	for (let press = 0; press < 50; press++) range = panned(range, WHOLE, "later");
	expect(shownInterval(range, later)).toEqual({ from: 1_500_000, to: 1_900_000 });
	expect(panned(WHOLE_TIME, WHOLE, "earlier")).toEqual(WHOLE_TIME);
});

test("while time goes on, columns stand for the same time for a while, and all of it is always seen", () => {
	const columnMs = new Set<number>();
	let wasted = 0;
	for (let ms = 1_000; ms < 4_000_000; ms += 997) {
		const whole = { from: 1_000_000, to: 1_000_000 + ms };
		const steady = steadyInterval(whole, whole, 80);
		columnMs.add((steady.to - steady.from) / 80);
		wasted = Math.max(wasted, 1 - ms / (steady.to - steady.from));
		expect([steady.from, steady.to >= whole.to]).toEqual([whole.from, true]);
	}
	expect(columnMs.size).toBeLessThan(40);
	expect(wasted).toBeLessThan(0.26);
});

test("a part that follows now moves by whole columns", () => {
	const shownAt = (now: number) => steadyInterval({ from: now - 40_000, to: now }, { from: 1_000_000, to: now }, 80);
	expect(shownAt(1_100_001)).toEqual({ from: 1_060_500, to: 1_100_500 });
	expect(shownAt(1_100_499)).toEqual(shownAt(1_100_001));
	expect(shownAt(1_100_501)).toEqual({ from: 1_061_000, to: 1_101_000 });
});

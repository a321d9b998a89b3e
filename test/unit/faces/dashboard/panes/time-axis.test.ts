import { expect, test } from "vitest";
import { timeAxis } from "../../../../../src/faces/dashboard/panes/timeline.ts";

const MINUTE = 60_000;

test("marks are round times since the start, and never too close together", () => {
	expect(timeAxis({ from: 0, to: MINUTE }, 0, 60)).toBe("│0s       │10s      │20s      │30s      │40s      │50s      ");
	expect(timeAxis({ from: 100, to: 100 + 2 * MINUTE }, 100, 40)).toBe("│0s       │30s      │1m       │1m30s    ");
	expect(timeAxis({ from: 30 * MINUTE, to: 150 * MINUTE }, 0, 40)).toBe("│30m      │1h       │1h30m    │2h       ");
	expect(timeAxis({ from: 45 * MINUTE, to: 75 * MINUTE }, 0, 30)).toBe("     │50m      │1h            ");
});

test("it has exactly its columns, for any time and any width", () => {
	for (const columns of [0, 1, 3, 9, 20, 77, 116])
		for (const ms of [1, 999, 10_000, MINUTE, 3_600_000, 86_400_000, 40 * 86_400_000])
			for (const from of [0, 17, 3_599_999])
				expect(timeAxis({ from, to: from + ms }, 0, columns)).toHaveLength(columns);
});

test("a label that does not fit whole is left out", () => {
	expect(timeAxis({ from: 0, to: 20_000 }, 0, 12)).toBe("│0s         ");
});

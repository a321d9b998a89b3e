import { expect, test } from "vitest";
import { countDoings } from "../../../../../src/core/doing.ts";
import { branchCounts, worstTone } from "../../../../../src/faces/dashboard/panes/agent-line.ts";
import { lineWidth } from "../../../../../src/tui/text/line.ts";

const NONE = countDoings([]);
const COUNTS = { ...NONE, running: 9, thinking: 6, retrying: 1, queued: 25, waiting: 7, answered: 13, failed: 6 };

function shown(columns: number, silent = 2): string {
	return branchCounts(COUNTS, silent, columns)
		.map(({ text }) => text)
		.join("");
}

test("all counts are shown where there is room", () => {
	expect(shown(80)).toBe("●9 ◆6 ↻1 ○25 ◌7 ✓13 ✗6 !2");
	expect(shown(80, 0)).toBe("●9 ◆6 ↻1 ○25 ◌7 ✓13 ✗6");
	expect(branchCounts(NONE, 0, 80)).toEqual([]);
});

test("where there is little room trouble stays", () => {
	expect([22, 21, 16, 12, 8, 5, 2].map((columns) => shown(columns))).toEqual([
		...["●9 ◆6 ↻1 ○25 ✓13 ✗6 !2", "●9 ◆6 ↻1 ○25 ✗6 !2", "●9 ◆6 ↻1 ✗6 !2", "●9 ↻1 ✗6 !2", "↻1 ✗6 !2", "✗6 !2", "!2"],
	]);
	for (let columns = 2; columns < 40; columns++)
		expect(lineWidth(branchCounts(COUNTS, 2, columns))).toBeLessThanOrEqual(columns);
});

test("the worst below is a failure, then what is silent or tried again", () => {
	expect(worstTone(COUNTS, 0)).toBe("bad");
	expect(worstTone({ ...COUNTS, failed: 0 }, 0)).toBe("warn");
	expect(worstTone({ ...COUNTS, failed: 0, retrying: 0 }, 1)).toBe("warn");
	expect(worstTone({ ...COUNTS, failed: 0, retrying: 0 }, 0)).toBe(undefined);
});

import { expect, test } from "vitest";
import { composeRegion } from "../../../../src/tui/screen/region.ts";
import type { Line } from "../../../../src/tui/text/line.ts";

const line = (text: string) => [{ text, style: "plain" as const }];
const rows = (name: string, count: number) => Array.from({ length: count }, (_, n) => line(`${name}${n}`));
const texts = (lines: readonly Line[]) => lines.map((line) => line[0]?.text ?? "");

function compose(height: number, { editor = 1, cursor = 0, offers = 0, live = 30 } = {}) {
	const asked: number[] = [];
	const region = composeRegion({
		size: { columns: 80, rows: height },
		live: (room) => {
			asked.push(room);
			return rows("live", Math.min(live, room));
		},
		editor: { rows: rows("edit", editor), cursor: { row: cursor, column: 3 } },
		offers: rows("offer", offers),
		status: line("status"),
	});
	return { asked, cursor: region.cursor, rows: texts(region.rows) };
}

test("what goes on stands above what is being typed, offers and the status below, and a part of the screen is left", () => {
	expect(compose(12, { offers: 2, live: 2 })).toEqual({
		asked: [4],
		cursor: { row: 3, column: 3 },
		rows: ["live0", "live1", "", "edit0", "offer0", "offer1", "status"],
	});
	expect(compose(24, { offers: 2 }).rows).toHaveLength(18);
});

test("in little room the offers go first, then the status, then what goes on", () => {
	expect(compose(6, { offers: 9 }).rows).toEqual(["edit0", "offer0", "offer1", "offer2", "status"]);
	expect(compose(3, { offers: 9 }).rows).toEqual(["edit0", "status"]);
	expect(compose(2).rows).toEqual(["edit0"]);
	expect(compose(1).rows).toEqual(["edit0"]);
});

test("of a long text the rows around the cursor stay", () => {
	for (const [cursor, first] of [
		[0, 0],
		[50, 46],
		[99, 91],
	] as const) {
		const { rows: shown, cursor: at } = compose(12, { editor: 100, cursor });
		expect([shown.length, shown[0], shown[at.row]]).toEqual([9, `edit${first}`, `edit${cursor}`]);
	}
});

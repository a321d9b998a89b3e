import { expect, test } from "vitest";
import { modesAfter, planKeep, recentAmong, type Seen } from "../../../../src/project/files/plan-keep.ts";

const file = (path: string, bytes: number, mode = 0o644): Seen => ({ is: "file", path, bytes, mode, changedAt: 0 });
const ROOM = { fileBytes: 100, newBytes: 150 };

test("small files are kept first, and what there is no room for is named", () => {
	const plan = planKeep([file("a", 90), file("b", 80), file("c", 20), file("d", 101)], ROOM);
	expect(plan).toEqual({
		take: ["c", "b"],
		leave: ["a", "d"],
		skipped: [
			{ path: "a", because: "no_room" },
			{ path: "d", because: "too_large" },
		],
		bytes: 100,
	});
});

test("links are kept; what is gone is left out without a word, and what is no file with one", () => {
	const seen: Seen[] = (["link", "gone", "special", "not_readable"] as const).map((is) => ({ is, path: is }));
	const plan = planKeep(seen, ROOM);
	expect(plan.take).toEqual(["link"]);
	expect(plan.skipped.map(({ path }) => path)).toEqual(["special", "not_readable"]);
	expect(plan.leave).toEqual(["gone", "special", "not_readable"]);
});

test("the first files tell which modes are usual, and only others are noted", () => {
	const modes = modesAfter(undefined, [
		file("a", 1, 0o664),
		file("b", 1, 0o664),
		file("c", 1, 0o600),
		file("x", 1, 0o775),
	]);
	expect(modes).toEqual({ usual: { plain: 0o664, executable: 0o775 }, other: { c: 0o600 } });
	const later = modesAfter(modes, [file("c", 1, 0o664), file("d", 1, 0o644), { is: "gone", path: "a" }]);
	expect(later).toEqual({ usual: modes.usual, other: { d: 0o644 } });
});

test("files that were changed in the last seconds are recent", () => {
	const at = (path: string, changedAt: number): Seen => ({ is: "file", path, bytes: 1, mode: 0o644, changedAt });
	expect(recentAmong([at("old", 1_000), at("new", 9_500), { is: "link", path: "l" }], 10_000)).toEqual(["new"]);
});

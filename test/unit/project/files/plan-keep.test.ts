import { expect, test } from "vitest";
import { modesOf, planKeep, type Seen } from "../../../../src/project/files/plan-keep.ts";

const file = (path: string, bytes: number, mode = 0o644): Seen => ({ is: "file", path, bytes, mode });
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

test("modes are noted that git's trees do not tell", () => {
	const modes = modesOf([file("a", 1), file("b", 1, 0o600), file("x", 1, 0o755), { is: "link", path: "l" }]);
	expect(modes).toEqual({ usual: { plain: 0o644, executable: 0o755 }, other: { b: 0o600 } });
});

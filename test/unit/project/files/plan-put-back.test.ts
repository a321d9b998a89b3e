import { expect, test } from "vitest";
import type { TreeFacts } from "../../../../src/core/schemas/kept-tree.ts";
import { type Compared, changesOf, planPutBack } from "../../../../src/project/files/plan-put-back.ts";
import type { Difference, TreeEntry } from "../../../../src/project/files/tree-paths.ts";

const PLAIN: TreeEntry = { kind: "plain", content: "a" };
const FACTS: TreeFacts = {
	ignored: [],
	skipped: [],
	empty: [],
	modes: { usual: { plain: 0o644, executable: 0o755 }, other: {} },
};

function compared(
	differences: Difference[],
	{ kept, now }: { kept?: Partial<TreeFacts>; now?: Partial<TreeFacts> } = {},
): Compared {
	return { differences, kept: { ...FACTS, ...kept }, now: { ...FACTS, ...now }, keptDirectories: ["src"] };
}

const added = (path: string): Difference => ({ path, after: PLAIN });
const deleted = (path: string): Difference => ({ path, before: PLAIN });

test("what came is removed first, the deepest first, and what went or changed is written", () => {
	const changed: Difference = { path: "c", before: { kind: "executable", content: "b" }, after: PLAIN };
	const { steps, left } = planPutBack(compared([deleted("d"), added("a"), added("a2/b/c"), changed]));
	expect(left).toEqual([]);
	expect(steps).toEqual([
		{ do: "remove", path: "a2/b/c" },
		{ do: "remove", path: "a" },
		{ do: "write", path: "d", entry: PLAIN, mode: 0o644, replaces: false },
		{ do: "write", path: "c", entry: changed.before, mode: 0o755, replaces: true },
	]);
});

test("what is or was ignored is left, and what is not kept, with all in it", () => {
	const differences = [added("was/x"), deleted("is"), added("repo/a"), deleted("large")];
	const plan = planPutBack(
		compared(differences, {
			kept: { ignored: ["was/"], skipped: [{ path: "repo/", because: "repository" }] },
			now: { ignored: ["is"], skipped: [{ path: "large", because: "too_large" }] },
		}),
	);
	expect(plan.steps).toEqual([]);
	expect(plan.left.map(({ path, because }) => [path, because.is])).toEqual([
		["was/x", "ignored"],
		["is", "ignored"],
		["repo/a", "not_kept"],
		["large", "not_kept"],
	]);
});

test("a mode alone is set back, to its own or to the usual one", () => {
	const modes = (other: Record<string, number>) => ({ modes: { ...FACTS.modes, other } });
	const facts = { kept: modes({ secret: 0o600, same: 0o640 }), now: modes({ open: 0o666, same: 0o640, tool: 0o700 }) };
	const { steps } = planPutBack(compared([], facts));
	expect(steps).toEqual([
		{ do: "set_mode", path: "secret", mode: 0o600 },
		{ do: "set_mode", path: "open", mode: 0o644 },
		{ do: "set_mode", path: "tool", mode: 0o755 },
	]);
});

test("empty directories that came go, unless there were files in them, and those that went come back", () => {
	const facts = {
		kept: { empty: ["e"], ignored: ["logs/a.log"] },
		now: { empty: ["src", "logs", "new/inner", "new"] },
	};
	const { steps, directories } = planPutBack(compared([], facts));
	expect(steps).toEqual([
		{ do: "remove_directory", path: "new/inner" },
		{ do: "remove_directory", path: "new" },
		{ do: "make_directory", path: "e" },
	]);
	expect([...directories]).toEqual(["src", "e", "logs"]);
	expect(changesOf(compared([], facts))).toEqual([
		{ path: "new/inner/", is: "added" },
		{ path: "new/", is: "added" },
		{ path: "e/", is: "deleted" },
	]);
});

test("a path that leads out of the tree is no change, and nothing is done about it", () => {
	const differences = [added("../x"), deleted(".git/config")];
	expect(changesOf(compared(differences))).toEqual([]);
	expect(planPutBack(compared(differences))).toMatchObject({ steps: [], left: [] });
});

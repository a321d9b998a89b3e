import { expect, test } from "vitest";
import type { KeptState, TreeFacts } from "../../../../src/core/schemas/kept-tree.ts";
import { hiddenDirectories } from "../../../../src/project/files/keep-tree.ts";
import { modesOf, planKeep, type Seen } from "../../../../src/project/files/plan-keep.ts";
import {
	type Compared,
	changesOf,
	describeLeft,
	describeSkipped,
	planPutBack,
} from "../../../../src/project/files/plan-put-back.ts";
import {
	type Difference,
	holderOf,
	isTreePath,
	parseDifferences,
	type TreeEntry,
} from "../../../../src/project/files/tree-paths.ts";
import { undoable } from "../../../../src/project/files/tree-store.ts";

const told = (path: string) => `warning: could not open directory '${path}': Permission denied\n`;

test("git's warnings name the directories that it could not look into", () => {
	expect(hiddenDirectories("")).toEqual([]);
	expect(hiddenDirectories("warning: something else\n")).toEqual([]);
	expect(hiddenDirectories(`${told("a/")}${told("it's/b\nc/")}${told("a/")}`)).toEqual(["a/", "it's/b\nc/"]);
});

test("the tree's own directory is the empty path", () => {
	expect(hiddenDirectories(told("."))).toEqual([""]);
	expect(hiddenDirectories(told("./"))).toEqual([""]);
});

test("where git did not write the whole name, the directory above counts", () => {
	expect(hiddenDirectories(told("a/b?c/d/"))).toEqual(["a/"]);
	expect(hiddenDirectories(told("b?c/"))).toEqual([""]);
	expect(hiddenDirectories("warning: could not open directory 'a/b/ccc\n")).toEqual(["a/b/"]);
});

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

test("what is not kept is counted by its reason, with the first names", () => {
	const large = ["a", "b", "c", "d"].map((path) => ({ path, because: "too_large" }) as const);
	expect(describeSkipped([...large, { path: "sub/", because: "repository" }])).toBe(
		"4 files that are too large (a, b, c, …), 1 repository inside (sub/)",
	);
	expect(describeSkipped([{ path: "b\xffd", because: "not_readable" }])).toBe("1 file that cannot be read (b\ufffdd)");
	expect(describeSkipped([])).toBeUndefined();
});

test("why something is left is told in words, and an error that nobody knows by its code", () => {
	expect(describeLeft({ is: "ignored" })).toBe("git ignores it");
	expect(describeLeft({ is: "system", code: "EBUSY" })).toBe("it is in use");
	expect(describeLeft({ is: "system", code: "EWHAT" })).toBe("EWHAT");
});

test("only a path below the tree that is no repository's is one of it", () => {
	for (const path of ["a", "a/b", ".github/x", "..."]) expect(isTreePath(path)).toBe(true);
	for (const path of ["", "/etc", "../a", "a/../b", "./a", "a//b", ".git", "a/.GIT/b", "a\0"])
		expect(isTreePath(path)).toBe(false);
});

test("a directory of a list holds all below it, a file itself alone", () => {
	const isHeld = holderOf(["build/", "a/b/", "file"]);
	for (const path of ["build/x", "build/x/y", "a/b/c", "file"]) expect(isHeld(path)).toBe(true);
	for (const path of ["builds/x", "a/x", "file/x", "build"]) expect(isHeld(path)).toBe(false);
});

const bytes = (text: string) => Buffer.from(text, "latin1");
const A = "a".repeat(40);
const B = "b".repeat(40);
const NONE = "0".repeat(40);

test("differences have both sides, and their lines where they are text", () => {
	const raw = [
		`:100644 100755 ${A} ${B} M\0a\tb\0`,
		`:000000 120000 ${NONE} ${B} A\0link\0`,
		`:100644 000000 ${A} ${NONE} D\0:100644\0`,
	];
	const numstat = ["3\t1\ta\tb\0", "-\t-\tlink\0", "0\t12\t:100644\0"];
	expect(parseDifferences(bytes([...raw, ...numstat].join("")))).toEqual([
		{
			path: "a\tb",
			before: { kind: "plain", content: A },
			after: { kind: "executable", content: B },
			lines: { added: 3, removed: 1 },
		},
		{ path: "link", after: { kind: "link", content: B } },
		{ path: ":100644", before: { kind: "plain", content: A }, lines: { added: 0, removed: 12 } },
	]);
});

const state = (id: number, to?: number): KeptState => ({
	...{ id, at: id, top: "/p", tree: "", facts: "" },
	why: to === undefined ? { is: "message", text: `m${id}` } : { is: "undo", to },
});
const ids = (...states: KeptState[]) => undoable(states).map(({ id }) => id);

test("an undo goes to the newest message, and after an undo on from there", () => {
	expect(ids(state(1), state(2), state(3))).toEqual([3, 2, 1]);
	expect(ids(state(1), state(2), state(3), state(4, 2))).toEqual([2, 1]);
	expect(ids(state(1), state(2), state(3), state(4, 2), state(5, 1))).toEqual([1]);
});

test("an undo that was taken back, and a new message, make the later ones count again", () => {
	expect(ids(state(1), state(2), state(3, 1), state(4, 3))).toEqual([2, 1]);
	expect(ids(state(1), state(2), state(3, 1), state(4))).toEqual([4, 2, 1]);
	expect(ids()).toEqual([]);
});

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

import { expect, test } from "vitest";
import type { TreeFacts } from "../../../../src/core/schemas/kept-tree.ts";
import { hiddenDirectories } from "../../../../src/project/undo/keep-tree.ts";
import {
	type Compared,
	changesOf,
	describeLeft,
	describeSkipped,
	planPutBack,
} from "../../../../src/project/undo/plan-put-back.ts";
import { type Difference, holderOf, isTreePath, type TreeEntry } from "../../../../src/project/undo/tree-paths.ts";

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

test("a path that leads out of the tree is no change, and nothing is done about it", () => {
	const differences = [added("../x"), deleted(".git/config")];
	expect(changesOf(compared(differences))).toEqual([]);
	expect(planPutBack(compared(differences))).toMatchObject({ steps: [], left: [] });
});

import { expect, test } from "vitest";
import { directoriesAbove, holderOf, isTreePath, shownPath } from "../../../../src/project/files/tree-paths.ts";

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

test("the directories above a path are told from the nearest on", () => {
	expect(directoriesAbove("a/b/c")).toEqual(["a/b", "a"]);
	expect(directoriesAbove("a")).toEqual([]);
});

test("a path is shown as UTF-8, and bytes that are none are replaced", () => {
	expect(shownPath(Buffer.from("ä").toString("latin1"))).toBe("ä");
	expect(shownPath("b\xffd")).toBe("b\ufffdd");
});

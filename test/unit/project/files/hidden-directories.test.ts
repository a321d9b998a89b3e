import { expect, test } from "vitest";
import { hiddenDirectories } from "../../../../src/project/files/keep-tree.ts";

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

import {
	chmodSync,
	existsSync,
	linkSync,
	mkdirSync,
	readdirSync,
	renameSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { emptyDirectoriesIn, removeTree, sizeOfTree } from "../../../../src/record/files/remove-tree.ts";
import { temporaryHome } from "../fabricate.ts";

function place() {
	const home = temporaryHome();
	const top = join(home, "top");
	mkdirSync(top);
	return { home, top };
}

test("all goes, whatever its modes and names are, and no link is followed", () => {
	const { home, top } = place();
	const kept = join(home, "kept");
	mkdirSync(kept);
	writeFileSync(join(kept, "file"), "x".repeat(10_000));
	symlinkSync(kept, join(top, "link"));
	symlinkSync("/nowhere", join(top, "dangling"));
	mkdirSync(join(top, "closed/inner"), { recursive: true });
	writeFileSync(join(top, "closed/inner/file"), "x".repeat(100_000));
	writeFileSync(Buffer.concat([Buffer.from(`${top}/closed/`), Buffer.from([0xff, 0xfe])]), "");
	linkSync(join(kept, "file"), join(top, "other-name"));
	chmodSync(join(top, "closed/inner"), 0);
	chmodSync(join(top, "closed"), 0);
	const size = sizeOfTree(top);
	const removed = removeTree(top, "m-");
	expect(removed).toMatchObject({ left: 0 });
	expect(removed.bytes).toBeGreaterThanOrEqual(Math.max(100_000, size.bytes));
	expect(removed.bytes).toBeLessThan(130_000);
	expect([existsSync(top), readdirSync(kept)]).toEqual([false, ["file"]]);
	if (process.getuid?.() !== 0) expect(size.isWhole).toBe(false);
});

test("a file with two names in the tree counts once, as when it is removed", () => {
	const { top } = place();
	const before = sizeOfTree(top).bytes;
	writeFileSync(join(top, "one"), "x".repeat(100_000));
	linkSync(join(top, "one"), join(top, "two"));
	const { bytes } = sizeOfTree(top);
	expect(bytes - before).toBeGreaterThanOrEqual(100_000);
	expect(bytes - before).toBeLessThan(200_000);
	expect(removeTree(top, "m-").bytes).toBeGreaterThanOrEqual(100_000);
});

test("a tree that is deeper than a path may be long goes, too", () => {
	const { home, top } = place();
	// Built from the inside: no path here is long.
	let inner = join(home, "d0");
	mkdirSync(inner);
	for (let level = 1; level <= 40; level++) {
		const outer = join(home, `d${level}`);
		mkdirSync(outer);
		renameSync(inner, join(outer, "n".repeat(200)));
		inner = outer;
	}
	renameSync(inner, join(top, "deep"));
	expect(sizeOfTree(top).isWhole).toBe(false);
	expect(removeTree(top, "m-")).toMatchObject({ left: 0 });
	expect(readdirSync(home)).toEqual(["kept"].filter((name) => existsSync(join(home, name))));
});

test("a directory that is gone is removed, and has freed nothing", () => {
	expect(removeTree(join(temporaryHome(), "nowhere"), "m-")).toEqual({ bytes: 0, left: 0 });
	expect(sizeOfTree("/nowhere/at/all")).toEqual({ bytes: 0, isWhole: false });
});

test("the directories of one are emptied, and what a link leads to, or lies beside them, stays", async () => {
	const { home, top } = place();
	const kept = join(home, "kept");
	mkdirSync(kept);
	writeFileSync(join(kept, "file"), "");
	for (const agent of ["1/1", "1/2", "3/4"]) mkdirSync(join(top, agent, "out"), { recursive: true });
	writeFileSync(join(top, "1/2/out/0001.log"), "x");
	writeFileSync(join(top, "beside"), "x");
	symlinkSync(kept, join(top, "1/link"));
	symlinkSync(kept, join(top, "link"));
	await emptyDirectoriesIn(top);
	const left = [top, join(top, "1"), join(top, "3"), kept].map((directory) => readdirSync(directory).sort());
	expect(left).toEqual([["1", "3", "beside", "link"], [], [], ["file"]]);
	await emptyDirectoriesIn(join(top, "gone"));
});

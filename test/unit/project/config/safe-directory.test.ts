import { chmodSync, chownSync, lchownSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { whyUnsafe } from "../../../../src/project/config/chosen-directory.ts";

const uid = process.getuid?.() ?? 0;
const isRoot = uid === 0; // only root can make what belongs to another user
const OTHER = 4711;

function place(): string {
	const home = mkdtempSync(join(tmpdir(), "agentree-safe-"));
	onTestFinished(() => rmSync(home, { recursive: true, force: true }));
	return home;
}

function made(path: string, mode: number): string {
	mkdirSync(path);
	chmodSync(path, mode);
	return path;
}

test("a directory of ours is safe, and what is missing below it or below a link of ours", () => {
	const home = place();
	made(join(home, "state"), 0o755);
	symlinkSync("state", join(home, "link"));
	for (const path of ["state", "state/runs", "link", "link/../state/./x", "missing/a/b"])
		expect([path, whyUnsafe(join(home, path), uid)]).toEqual([path, undefined]);
});

test("a directory where others may write is not safe, nor what lies below it unless it is sticky", () => {
	const home = place();
	const open = made(join(home, "open"), 0o777);
	const group = made(join(home, "group"), 0o770);
	chownSync(group, uid, isRoot ? 0 : (process.getgid?.() ?? 0) + 0);
	const sticky = made(join(home, "sticky"), 0o1777);
	made(join(open, "below"), 0o700);
	made(join(sticky, "below"), 0o700);
	expect(whyUnsafe(open, uid)).toBe(`${open} is writable by everyone`);
	expect(whyUnsafe(join(open, "below"), uid)).toBe(`${open} is writable by everyone`);
	expect(whyUnsafe(join(open, "missing"), uid)).toBe(`${open} is writable by everyone`);
	if (isRoot) expect(whyUnsafe(group, uid)).toBe(`${group} is writable by group 0`);
	expect(whyUnsafe(sticky, uid)).toBe(`${sticky} is writable by everyone`);
	expect(whyUnsafe(join(sticky, "below"), uid)).toBeUndefined();
	expect(whyUnsafe(open, uid, { isClosedThen: true })).toBeUndefined();
	expect(whyUnsafe(join(open, "below"), uid, { isClosedThen: true })).toBe(`${open} is writable by everyone`);
});

test.skipIf(!isRoot)(
	"what belongs to another user is not safe, nor what lies below it or behind a link of theirs",
	() => {
		const home = place();
		const theirs = made(join(home, "theirs"), 0o755);
		chownSync(theirs, OTHER, OTHER);
		made(join(theirs, "ours"), 0o700);
		made(join(home, "state"), 0o700);
		symlinkSync("state", join(home, "link"));
		lchownSync(join(home, "link"), OTHER, OTHER);
		expect(whyUnsafe(theirs, uid)).toBe(`${theirs} belongs to user ${OTHER}, not to you (0)`);
		expect(whyUnsafe(join(theirs, "ours"), uid)).toBe(`${theirs} belongs to user ${OTHER}, not to you (0)`);
		expect(whyUnsafe(join(home, "link"), uid)).toBe(`${home}/link is a symbolic link of user ${OTHER}`);
	},
);

test.skipIf(!isRoot)("a group that has its user's number is that user's own, and root may own what is above", () => {
	const home = place();
	chmodSync(home, 0o755);
	const own = made(join(home, "own"), 0o775);
	chownSync(own, OTHER, OTHER);
	const shared = made(join(home, "shared"), 0o775);
	chownSync(shared, OTHER, 100);
	expect(whyUnsafe(own, OTHER)).toBeUndefined();
	expect(whyUnsafe(join(own, "state"), OTHER)).toBeUndefined();
	expect(whyUnsafe(shared, OTHER)).toBe(`${shared} is writable by group 100`);
	expect(whyUnsafe(home, OTHER)).toBe(`${home} belongs to user 0, not to you (${OTHER})`);
});

test("a link that goes round in circles comes to an end", () => {
	const home = place();
	symlinkSync("a", join(home, "a"));
	expect(whyUnsafe(join(home, "a", "b"), uid)).toBeUndefined();
});

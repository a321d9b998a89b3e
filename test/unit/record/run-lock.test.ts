import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readRunLock, takeRunLock } from "../../../src/record/run-lock.ts";
import { temporaryHome } from "./fabricate.ts";

const owner = (pid: number) => ({ pid, startTime: "77", pidNamespace: "pid:[4026531836]" });

test("a lock names its owner until it is released", () => {
	const home = temporaryHome();
	expect(readRunLock(home)).toBeUndefined();
	const lock = takeRunLock(home, owner(1), undefined);
	expect(readRunLock(home)).toMatchObject({ number: 1, path: join(home, ".lock.1"), owner: owner(1) });
	lock.release();
	lock.release();
	expect(readdirSync(home)).toEqual([]);
});

test("of two that find no lock, or the same dead owner's, one gets it", () => {
	// Seen to fail with the number left out: each removed the other's lock, and both went on.
	const home = temporaryHome();
	takeRunLock(home, owner(1), undefined);
	expect(() => takeRunLock(home, owner(2), undefined)).toThrow(/another process has just resumed this run/);
	const dead = readRunLock(home);
	takeRunLock(home, owner(2), dead);
	expect(() => takeRunLock(home, owner(3), dead)).toThrow(/another process has just resumed this run/);
	expect(readRunLock(home)?.owner).toEqual(owner(2));
	expect(readdirSync(home)).toEqual([".lock.2"]);
});

test("who has looked long ago steps back when a later lock is there", () => {
	const home = temporaryHome();
	takeRunLock(home, owner(1), undefined);
	const dead = readRunLock(home);
	takeRunLock(home, owner(2), dead);
	takeRunLock(home, owner(3), readRunLock(home));
	expect(() => takeRunLock(home, owner(4), dead)).toThrow(/another process/);
	expect(readdirSync(home)).toEqual([".lock.3"]);
});

test("a lock that cannot be read has no owner, and can be taken over", () => {
	const home = temporaryHome();
	writeFileSync(join(home, ".lock.4"), '{"pid":');
	const torn = readRunLock(home);
	expect(torn).toMatchObject({ number: 4, owner: undefined });
	takeRunLock(home, owner(1), torn);
	expect(readdirSync(home)).toEqual([".lock.5"]);
});

import { mkdirSync, mkdtempSync, renameSync, rmdirSync, symlinkSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findSessions, newestSession, oneSession } from "../../../../src/cli/sessions/find-session.ts";
import { listSessions } from "../../../../src/cli/sessions/session.ts";
import { directoryId } from "../../../../src/record/files/regular-file.ts";
import { eventsPath, runDirectory } from "../../../../src/record/run-directory.ts";
import { T0, temporaryHome } from "../../record/fabricate.ts";
import { fabricateRun } from "./fabricated-sessions.ts";

const numbers = (sessions: readonly { run: string }[]) => sessions.map(({ run }) => run.split("-e")[1]);

test("the newest session of a directory is the one that was used last, not the one that began last", () => {
	const home = temporaryHome();
	fabricateRun(home, 1, { endedAt: T0 + 90_000 });
	fabricateRun(home, 2);
	fabricateRun(home, 3, { cwd: "/elsewhere", endedAt: T0 + 99_000 });
	expect(newestSession(home, "/work/project")?.run).toBe("20261127-201530-e1");
	expect(newestSession(home, "/nowhere")).toBeUndefined();
	expect(numbers(listSessions(home, undefined))).toEqual(["3", "1", "2"]);
});

test.each([
	[{ by: "answer" }, "answered"],
	[{ by: "failure", reason: "r", exitCode: 1 }, "failed"],
	[{ by: "limit", limit: "max-turns", reason: "r" }, "limit"],
	[{ by: "stopped", reason: "r", signal: 2 }, "interrupted"],
	[{ by: "crashed", reason: "r" }, "interrupted"],
] as const)("a session that ended by %j is %s", (ending, state) => {
	const home = temporaryHome();
	fabricateRun(home, 1, { ending });
	expect(newestSession(home, "/work/project")?.state).toBe(state);
});

test("a session is alive as long as its supervisor is, and interrupted when that died without an end", () => {
	const home = temporaryHome();
	const { endedAt: _, ending: __, ...open } = fabricateRun(home, 1);
	const unended = { ...open, endedAt: undefined, ending: undefined } as never;
	fabricateRun(home, 1, unended);
	expect(newestSession(home, "/work/project")).toMatchObject({ state: "interrupted", usedAt: T0 + 1_000 });
});

// Seen to fail: no list could be shown, and no conversation be found or removed.
test("what a command has put in place of one run's files keeps no other from being listed", () => {
	const home = temporaryHome();
	const { endedAt: _, ending: __, ...open } = fabricateRun(home, 1);
	fabricateRun(home, 1, { ...open, endedAt: undefined, ending: undefined } as never);
	fabricateRun(home, 2);
	const events = eventsPath(runDirectory(home, "20261127-201530-e1"));
	unlinkSync(events);
	symlinkSync(events, events);
	expect(numbers(listSessions(home, undefined)).sort()).toEqual(["1", "2"]);
});

test("a directory that was renamed still has its sessions, and a new one in its place has only those of that path", () => {
	const home = temporaryHome();
	const old = mkdtempSync(join(home, "project-"));
	const cwdId = directoryId(old);
	if (cwdId === undefined) throw new Error("this file system keeps no time of birth");
	fabricateRun(home, 1, { cwd: old, cwdId });
	renameSync(old, `${old}-renamed`);
	expect(numbers(listSessions(home, `${old}-renamed`))).toEqual(["1"]);
	rmdirSync(`${old}-renamed`);
	mkdirSync(`${old}-other`); // may have the same inode
	expect(listSessions(home, `${old}-other`)).toEqual([]);
});

const RUNS = [
	{ task: "Fix the failing tests" },
	{ task: "write a parser", says: ["write a parser", "Which one?", "for TOML", "Done."] },
	{ task: "fix the parser", cwd: "/elsewhere" },
	{ task: "read", cwd: "/elsewhere", name: "TOML", says: ["read"] },
	{ task: "toml again", cwd: "/elsewhere" },
];

test.each([
	["e2", ["2"]],
	["20261127-201530-e3", ["3"]],
	["20261127", ["5", "4", "3", "2", "1"]],
	["toml", ["2"]],
	["toml again", ["5"]],
	["toML ", ["2"]],
	["read", ["4"]],
	["parser", ["2"]],
	["FIX", ["1"]],
	["toml parser", ["2"]],
	["fix parser", ["3"]],
	["done", []],
	["nothing of it", []],
])("%j means %j", (wanted, found) => {
	const home = temporaryHome();
	RUNS.forEach((changes, at) => void fabricateRun(home, at + 1, changes));
	const answer = findSessions(home, wanted, "/work/project");
	switch (answer.is) {
		case "one":
			return expect([answer.session].map(({ run }) => run.slice(-1))).toEqual(found);
		case "several":
			return expect(numbers(answer.sessions)).toEqual(found);
		case "none":
			return expect([]).toEqual(found);
	}
});

test("who cannot choose is told the candidates, or how to find some", () => {
	const home = temporaryHome();
	RUNS.forEach((changes, at) => void fabricateRun(home, at + 1, changes));
	expect(() => oneSession(home, "20261127", "/work/project")).toThrow(/matches several .*-e5, .*-e4, .*-e1$/);
	expect(() => oneSession(home, "prose", "/work/project")).toThrow(/no conversation "prose"; see agent ls --all/);
});

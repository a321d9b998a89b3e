import { cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findRun, listRuns, newestRuns, readAgentFile, readRunFile } from "../../../src/record/read-run.ts";
import { createRun } from "../../../src/record/run-writer.ts";
import { agentFile, runFile, temporaryHome } from "./fabricate.ts";

const OLD = "20261126-101010-aaaa";
const MIDDLE = "20261127-201530-k3f9";
const NEW = "20261127-201531-zzzz";

test("runs are listed newest first, and none where nothing ever ran", () => {
	expect(listRuns(threeRuns())).toEqual([NEW, MIDDLE, OLD]);
	expect(listRuns(temporaryHome())).toEqual([]);
});

test.each([
	["a whole id", MIDDLE, MIDDLE, undefined],
	["a beginning that no other run has", "20261126", OLD, undefined],
	["its last characters, when no other run has them", "aaaa", OLD, undefined],
	["an agent of a run by its last characters", "k3f9/1.2", MIDDLE, "1.2"],
	["an agent of a run", `${MIDDLE}/1.2`, MIDDLE, "1.2"],
	["an agent of a shortened run", "20261127-201530/1", MIDDLE, "1"],
	["an agent alone, of this directory's newest run", "1.2", MIDDLE, "1.2"],
	["nothing, the newest run of this directory", undefined, MIDDLE, undefined],
])("a ref may be %s", (_, ref, run, agent) => {
	const home = threeRuns();
	const expected = { run, directory: join(home, "runs", run) };
	expect(findRun(home, ref, "/work/project")).toEqual(agent === undefined ? expected : { ...expected, agent });
});

test.each([
	["an unknown run", "2025", /^no run "2025" in .*; agent ps -a lists all runs$/],
	["a part of the last characters", "f9", /^no run "f9" in /],
	["the beginning of several runs", "20261127-2015", new RegExp(`matches several runs: ${NEW}, ${MIDDLE}$`)],
	[
		"an agent that the run has not",
		`${MIDDLE}/1.9`,
		new RegExp(`^run ${MIDDLE} has no agent 1.9; agent ps ${MIDDLE} lists`),
	],
	["a path that is no agent's", `${MIDDLE}/../x`, /^"\.\.\/x" is not an agent; write it like/],
	["an agent that no root is above", `${MIDDLE}/2.1`, /^"2.1" is not an agent/],
	["a path to elsewhere", "../runs", /^"runs" is not an agent/],
])("%s is one line that says so", (_, ref, message) => {
	expect(() => findRun(threeRuns(), ref, "/work/project")).toThrow(
		expect.objectContaining({ code: "not_found", message: expect.stringMatching(message) }),
	);
});

test.each(["", "/1", "/"])("%j names no run, and is a usage error", (ref) => {
	// Seen to fail with the empty ref taken for none.
	expect(() => findRun(threeRuns(), ref, "/work/project")).toThrow(
		expect.objectContaining({ code: "usage", message: expect.stringContaining(`"${ref}" is not a run; write RUN or`) }),
	);
});

test("nothing, in a directory where nothing ran, is an error that says how to list", () => {
	expect(() => findRun(threeRuns(), undefined, "/elsewhere")).toThrow(
		"no run was started in /elsewhere; name one: agent ps -a lists all runs",
	);
});

test("a run whose run.json is damaged does not keep the others from being found", () => {
	const home = threeRuns();
	writeFileSync(join(home, "runs", NEW, "run.json"), "{");
	expect(findRun(home, undefined, "/work/project").run).toBe(MIDDLE);
});

test("the newest run is the one that started last, whatever its id says, and copies are left out", () => {
	// Seen to fail in the hour after summer time: its ids are lower than those of the hour before.
	const home = temporaryHome();
	const started = (run: string, time: string) => createRun(home, runFile({ run, startedAt: Date.parse(time) })).close();
	started("20261025-023000-aaaa", "2026-10-25T00:30:00Z"); // half past two, in summer time
	started("20261025-021000-bbbb", "2026-10-25T01:10:00Z"); // an hour later the clocks went back
	started("20261024-203000-cccc", "2026-10-25T03:30:00Z"); // after a flight to New York
	started("20261023-120000-dddd", "2026-10-23T12:00:00Z");
	cpSync(join(home, "runs", "20261024-203000-cccc"), join(home, "runs", "a copy"), { recursive: true });
	const newest = (maxRead?: number) => [...newestRuns(home, maxRead)].map(({ run }) => run.slice(-4));
	expect(newest()).toEqual(["cccc", "bbbb", "aaaa", "dddd"]);
	expect(newest(3)).toEqual(["bbbb", "aaaa"]);
	expect(findRun(home, undefined, "/work/project").run).toBe("20261024-203000-cccc");
});

test("the runs of the days before are not read for the newest", () => {
	const home = temporaryHome();
	for (const day of [27, 25, 23]) {
		const run = `202611${day}-201530-k3f9`;
		createRun(home, runFile({ run, startedAt: Date.UTC(2026, 10, day, 20) })).close();
	}
	const runs = newestRuns(home);
	expect(runs.next().value).toMatchObject({ run: "20261127-201530-k3f9" });
	rmSync(join(home, "runs", "20261123-201530-k3f9"), { recursive: true });
	expect([...runs].map(({ run }) => run)).toEqual(["20261125-201530-k3f9"]);
});

test.each([
	["missing", undefined, /run\.json: no such file \(ENOENT\)$/],
	["torn", '{"run":', /run\.json: it is not valid JSON$/],
	["not an object", "7\n", /run\.json: it is not a JSON object$/],
	[
		"not a run's",
		'{"run":"x","task":"t","cwd":"/"}',
		/it has no "model", "limits", "supervisor", "socket", "started_at"$/,
	],
])("a run.json that is %s is one line with its path", (_, text, message) => {
	const directory = join(temporaryHome(), "run");
	mkdirSync(directory);
	if (text !== undefined) writeFileSync(join(directory, "run.json"), text);
	expect(() => readRunFile(directory)).toThrow(
		expect.objectContaining({ code: "not_found", message: expect.stringMatching(message) }),
	);
});

// Seen to fail with readdir's own words, and with "no runs" for every ENOENT.
test.each([
	[
		"a file",
		(home: string) => writeFileSync(join(home, "x"), ""),
		/^cannot list the runs in .*: part of the path is a file \(ENOTDIR\); set AGENTREE_HOME to a directory$/,
	],
	[
		"a link to nowhere",
		(home: string) => symlinkSync("/nowhere/at/all", join(home, "x")),
		/^cannot list the runs: .*\/x is a link to \/nowhere\/at\/all, which does not exist; create that directory, or set AGENTREE_HOME to another$/,
	],
	[
		"a link to itself",
		(home: string) => symlinkSync("x", join(home, "x")),
		/^cannot list the runs in .*: too many symbolic links \(ELOOP\); set AGENTREE_HOME/,
	],
])("a state directory that is %s is one line that says what to do", (_, make, message) => {
	const home = temporaryHome();
	make(home);
	expect(() => listRuns(join(home, "x"))).toThrow(
		expect.objectContaining({ code: "not_found", message: expect.stringMatching(message) }),
	);
});

test("a run.json that is a directory is one line that says so", () => {
	const directory = join(temporaryHome(), "run");
	mkdirSync(join(directory, "run.json"), { recursive: true });
	expect(() => readRunFile(directory)).toThrow(`cannot read ${directory}/run.json: it is a directory`);
});

test("the file of an agent that is missing is one line with its path", () => {
	expect(() => readAgentFile("/nowhere", "1.2")).toThrow(/^cannot read \/nowhere\/1\/2\/agent\.json: no such file/);
});

/** The newest belongs to another directory. */
function threeRuns(): string {
	const home = temporaryHome();
	createRun(home, runFile({ run: OLD })).close();
	createRun(home, runFile({ run: NEW, cwd: "/other" })).close();
	const middle = createRun(home, runFile({ run: MIDDLE }));
	middle.addAgent(agentFile());
	middle.addAgent(agentFile({ agent: "1.2" }));
	middle.close();
	return home;
}

test("the file of an agent whose directory is a link to itself is one line that says so", () => {
	const home = temporaryHome();
	symlinkSync("1", join(home, "1"));
	expect(() => readAgentFile(home, "1")).toThrow(/^cannot read \S+agent\.json: too many symbolic links \(ELOOP\)/);
});

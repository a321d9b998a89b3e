import { existsSync, mkdirSync, readdirSync, renameSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type RemovalHost, removeRun, sweepHalves } from "../../../../src/cli/sessions/remove-run.ts";
import { cheapTable, procTable } from "../../../../src/processes/table/process-table.ts";
import { runDirectory, runsDirectory } from "../../../../src/record/run-directory.ts";
import { takeRunLock } from "../../../../src/record/run-lock.ts";
import { lockOwner } from "../../../../src/supervisor/run/begin-run.ts";
import { T0, temporaryHome } from "../../record/fabricate.ts";
import { fabricateRun } from "./fabricated-sessions.ts";

const NO_PROCESSES = cheapTable({ list: () => [], read: () => undefined, environment: () => undefined });

function place() {
	const home = temporaryHome();
	const env = { XDG_RUNTIME_DIR: join(home, "run") };
	const host: RemovalHost = { home, env, uid: process.getuid?.() ?? 0, table: NO_PROCESSES, now: T0, mark: "m1" };
	const { run } = fabricateRun(home, 1, { says: ["hello"] });
	return { home, host, found: { run, directory: runDirectory(home, run) } };
}

const namesIn = (home: string) => readdirSync(runsDirectory(home)).sort();

test("a run that is over goes with all its files, and with the socket and the pipes that its supervisor has left", async () => {
	const { home, host, found } = place();
	const sockets = join(home, "run/agentree");
	mkdirSync(join(sockets, `${found.run}.pipes`), { recursive: true });
	writeFileSync(join(sockets, `${found.run}.pipes/stock-1`), "");
	const server = createServer();
	await new Promise<void>((resolve) => server.listen(join(sockets, "left"), resolve));
	renameSync(join(sockets, "left"), join(sockets, `${found.run}.sock`)); // closing it does not remove it any more
	onTestFinished(() => void server.close());
	await new Promise((resolve) => server.close(resolve));
	expect(await removeRun(found, host)).toEqual({ is: "removed", bytes: expect.any(Number), worktrees: [] });
	expect([namesIn(home), readdirSync(sockets)]).toEqual([[], []]);
});

test("a run is kept whose lock a living process holds, whatever its run.json says", async () => {
	const { home, host, found } = place();
	const lock = takeRunLock(found.directory, lockOwner(procTable), undefined);
	expect(await removeRun(found, host)).toEqual({
		is: "kept",
		why: expect.stringMatching(/is running \(supervisor pid \d+\)/),
	});
	expect(namesIn(home)).toEqual([found.run]);
	lock.release();
	expect(await removeRun(found, host)).toMatchObject({ is: "removed" });
});

test("what is no run of this user's is kept: a link, a copy that was made by hand, a directory of something else", async () => {
	const { home, host, found } = place();
	const elsewhere = join(home, "elsewhere");
	renameSync(found.directory, elsewhere);
	symlinkSync(elsewhere, found.directory);
	const copy = { run: "20261127-201530-copy", directory: runDirectory(home, "20261127-201530-copy") };
	mkdirSync(copy.directory);
	writeFileSync(join(copy.directory, "run.json"), JSON.stringify({ ...fabricateRun(home, 2), format: 1 }));
	const empty = { run: "20261127-201530-none", directory: runDirectory(home, "20261127-201530-none") };
	mkdirSync(empty.directory);
	const named = { run: "notes", directory: runDirectory(home, "notes") };
	mkdirSync(named.directory);
	const answers = [];
	for (const run of [found, copy, empty, named]) answers.push(await removeRun(run, host));
	expect(
		answers.map((answer) =>
			answer.is === "kept" ? answer.why.replace(/^\S+ is not one of your runs: /, "") : answer.is,
		),
	).toEqual([
		"it is a link",
		"it is a manual copy of run 20261127-201530-e2",
		"it has neither run.json nor events.jsonl",
		"its name is not a run id",
	]);
	expect(existsSync(join(elsewhere, "run.json"))).toBe(true);
});

test("a run whose run.json is damaged can be removed", async () => {
	const { home, host, found } = place();
	writeFileSync(join(found.directory, "run.json"), "");
	expect(await removeRun(found, host)).toMatchObject({ is: "removed" });
	expect(namesIn(home)).toEqual([]);
});

test("what a removal or a copying that was killed has left goes with the next removal, a copying only when it is old", () => {
	const { home, host, found } = place();
	for (const name of [".removing-r-m0", ".forking-new", ".forking-old", ".other"])
		mkdirSync(join(runsDirectory(home), name));
	writeFileSync(join(runsDirectory(home), ".removing-r-m0/file"), "x");
	symlinkSync(found.directory, join(runsDirectory(home), ".removing-link"));
	for (const [name, at] of [
		[".forking-new", T0 - 60_000],
		[".forking-old", T0 - 7_200_000],
	] as const)
		utimesSync(join(runsDirectory(home), name), at / 1_000, at / 1_000);
	expect(sweepHalves(host)).toBeGreaterThan(0);
	expect(namesIn(home)).toEqual([".forking-new", ".other", ".removing-link", found.run]);
	expect(readdirSync(found.directory)).toContain("run.json");
});

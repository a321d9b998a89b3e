/** `agent undo`: shows what has changed since a message, and puts it back. */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect, test } from "vitest";
import { SavedTree } from "../../../src/project/undo/saved-tree.ts";
import { undoDirectory } from "../../../src/record/run-directory.ts";
import { runProgram, startProgram, temporaryHome } from "../program.ts";
import { contentsOf, keep, NEVER } from "./project.ts";

/** A run that is over, of whose tree states are kept as a supervisor keeps them. */
async function runWithTree() {
	const home = temporaryHome();
	const top = join(home, "project");
	mkdirSync(top);
	const put = (name: string, text: string) => writeFileSync(join(top, name), text);
	put("a", "one\n");
	const program = startProgram(["run", "-m", "shell", "true"], { home, cwd: top });
	await program.ended;
	const directory = undoDirectory(await program.runDirectory());
	const env = { PATH: process.env.PATH ?? "", HOME: home };
	const opened = await SavedTree.open({ cwd: top, directory, own: [], env, signal: NEVER, now: Date.now });
	if (opened.is === "none") throw new Error(opened.reason);
	const undo = (...args: string[]) => runProgram(["undo", ...args], { home, cwd: top });
	return { home, top, put, undo, directory, worktree: opened.worktree };
}

test("it shows what has changed, puts it back, goes on to the message before, and can be taken back", async () => {
	const { top, put, undo, worktree } = await runWithTree();
	await keep(worktree, "first");
	put("a", "one\ntwo\n");
	await keep(worktree, "make it\nbetter");
	put("a", "three\n");
	put("b\u001b[31m", "new\n");
	const shown = await undo();
	expect(shown.stdout.split("\n")).toEqual([
		expect.stringMatching(/^back to before "make it better", \d+(ms|s) ago$/),
		`2 files have changed since, in ${top}:`,
		"  M a  +1 -2",
		"  A b  +1 -0",
		expect.stringContaining("Not restored: ignored files"),
		"",
	]);
	expect(shown.stderr).toMatch(/nothing restored yet; to restore: agent undo \S+ --yes/);
	expect((await undo("--to", "1")).stderr).toMatch(/to restore: agent undo \S+ --to 1 --yes\n$/);
	expect(readFileSync(join(top, "a"), "utf8")).toBe("three\n");
	expect(await undo("--yes")).toEqual({
		exit: 0,
		stdout: "restored 1 file, removed 1 file\nto reverse this: agent undo --to 3\n",
		stderr: "",
	});
	expect(contentsOf(top)).toEqual({ a: "644 one\ntwo\n" });
	expect((await undo("--yes")).stdout).toContain("restored 1 file, removed 0 files");
	expect(contentsOf(top)).toEqual({ a: "644 one\n" });
	expect(await undo("--yes")).toMatchObject({
		exit: 0,
		stdout: "",
		stderr: expect.stringContaining("nothing has changed in the files since the first message"),
	});
	await undo("--to", "3", "--yes");
	expect(contentsOf(top)).toEqual({ a: "644 three\n", "b\u001b[31m": "644 new\n" });
	expect((await undo("--list")).stdout).toMatch(
		/^1 .* before "first"\n2 .* before "make it better"\n3 .* before the undo to state 2\n4 .*\n5 .*\n$/,
	);
});

test("for programs it prints objects, and what cannot be put back makes it fail", async () => {
	const { put, undo, top, worktree } = await runWithTree();
	put("b", "b\n");
	const state = await keep(worktree);
	put("a", "changed");
	put("b", "changed");
	put(".gitignore", "b\n");
	const left = [{ path: "b", because: "git ignores it" }];
	expect(JSON.parse((await undo("--json")).stdout)).toMatchObject({
		is: "undo",
		state: state.id,
		top,
		changes: expect.arrayContaining([{ path: "a", is: "changed", lines: { added: 1, removed: 1 } }]),
		left,
	});
	const done = await undo("--json", "--yes");
	expect(done.exit).toBe(1);
	expect(JSON.parse(done.stdout)).toMatchObject({ is: "done", written: ["a"], removed: [".gitignore"], left });
	expect(await undo("--to", "x")).toMatchObject({ exit: 2, stderr: expect.stringContaining("agent undo --list") });
});

// Seen to fail: no run was found there, and of a run that was named the directory was gone.
test("a directory that was renamed is put back under its new name, and never another one", async () => {
	const { home, top, put, directory, worktree } = await runWithTree();
	await keep(worktree);
	put("a", "changed");
	const renamed = join(home, "renamed");
	renameSync(top, renamed);
	const run = basename(dirname(directory));
	mkdirSync(join(home, "other"));
	expect(await runProgram(["undo", run, "--yes"], { home, cwd: join(home, "other") })).toMatchObject({
		...{ exit: 1, stdout: "", stderr: expect.stringMatching(/nothing can be undone .* is gone\n$/) },
	});
	expect(await runProgram(["undo", "--yes"], { home, cwd: renamed })).toMatchObject({ exit: 0 });
	expect(contentsOf(renamed)).toEqual({ a: "644 one\n" });
});

test("what cannot be found out is a failure, and what is unchanged is none", async () => {
	const { put, undo, directory, worktree } = await runWithTree();
	await keep(worktree);
	expect(await undo("--yes")).toMatchObject({ exit: 0 });
	expect(await undo("--to", "9")).toMatchObject({ exit: 1, stderr: expect.stringContaining("no saved state 9") });
	put("a", "changed");
	rmSync(join(directory, "git/objects"), { recursive: true });
	expect(await undo("--json", "--yes")).toMatchObject({ exit: 1, stdout: expect.stringContaining("is damaged") });
});

test("without kept states it says so, and makes nothing", async () => {
	const home = temporaryHome();
	await runProgram(["run", "-m", "shell", "true"], { home });
	expect(await runProgram(["undo"], { home })).toMatchObject({
		exit: 0,
		stdout: "",
		stderr: expect.stringContaining("files are saved only in chats"),
	});
	expect(Object.keys(contentsOf(join(home, "agentree"))).filter((path) => path.includes("undo"))).toEqual([]);
});

test("an agent may not undo, whatever it clears of its environment", async () => {
	const clear = "env -i PATH=$PATH HOME=$HOME AGENTREE_HOME=$AGENTREE_HOME";
	const end = await runProgram(["run", "-m", "shell", `${clear} agent undo --yes; echo $?`]);
	expect(end.stdout).toMatch(/agents cannot use agent undo.*\n4\n$/);
});

test("an agent may not undo, and while agents work nothing is put back", async () => {
	const home = temporaryHome();
	const program = startProgram(["run", "-m", "shell", "mkfifo gate; agent undo --yes; echo $?; cat gate"], { home });
	await program.waitForEvent((event) => event.event === "command_started");
	const directory = await program.runDirectory();
	const env = { PATH: process.env.PATH ?? "", HOME: "" };
	const options = {
		cwd: home,
		directory: undoDirectory(directory),
		own: [join(home, "agentree")],
		env,
		signal: NEVER,
		now: Date.now,
	};
	const opened = await SavedTree.open(options);
	if (opened.is === "none") throw new Error(opened.reason);
	await keep(opened.worktree);
	const project = join(home, "new");
	writeFileSync(project, "new");
	expect(await runProgram(["undo", "--yes"], { home, env: { HOME: "/nonexistent" } })).toMatchObject({
		exit: 4,
		stderr: expect.stringContaining("agent 1 of run"),
	});
	writeFileSync(join(home, "gate"), "");
	expect((await program.ended).stdout.toString()).toMatch(/agents cannot use agent undo.*\n4\n$/);
});

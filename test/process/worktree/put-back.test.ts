/** The state of a work tree is kept and put back, with a real git. */
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
	chmodSync,
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	renameSync,
	rmSync,
	statSync,
	symlinkSync,
	unlinkSync,
	writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import type { KeptState } from "../../../src/core/schemas/kept-tree.ts";
import { statesIn } from "../../../src/project/undo/tree-store.ts";
import { contentsOf, createProject, keep, NEVER, type Project, putBackAll } from "./project.ts";

function withFiles(project: Project): void {
	project.put("a.txt", "one\ntwo\n");
	project.put("crlf.txt", "one\r\ntwo\r\n");
	project.put("run.sh", "#!/bin/sh\n");
	chmodSync(join(project.top, "run.sh"), 0o755);
	project.put("secret", "s");
	chmodSync(join(project.top, "secret"), 0o600);
	project.put("binary", Buffer.from([0, 1, 2, 255, 254, 13, 10]));
	project.put("deep/er/file", "deep");
	project.put("gone/file", "gone");
	project.put("dir-to-file/x", "x");
	project.put("file-to-dir", "f");
	mkdirSync(join(project.top, "empty/inner"), { recursive: true });
	symlinkSync("a.txt", join(project.top, "link"));
	writeFileSync(Buffer.concat([Buffer.from(`${project.top}/`), Buffer.from('b\xffd "q"\n', "latin1")]), "odd");
}

function change({ top, put }: Project): void {
	put("a.txt", "one\nthree\n");
	put("crlf.txt", "one\ntwo\n");
	chmodSync(join(top, "run.sh"), 0o644);
	chmodSync(join(top, "secret"), 0o644);
	unlinkSync(join(top, "binary"));
	renameSync(join(top, "deep/er/file"), join(top, "deep/renamed"));
	rmSync(join(top, "gone"), { recursive: true });
	rmSync(join(top, "dir-to-file"), { recursive: true });
	put("dir-to-file", "now a file");
	unlinkSync(join(top, "file-to-dir"));
	put("file-to-dir/a/b", "now a directory");
	rmSync(join(top, "empty"), { recursive: true });
	mkdirSync(join(top, "new/empty"), { recursive: true });
	put("new-dir/sub/new.txt", "new");
	unlinkSync(join(top, "link"));
	symlinkSync("/etc/passwd", join(top, "link"));
	writeFileSync(Buffer.concat([Buffer.from(`${top}/`), Buffer.from('b\xffd "q"\n', "latin1")]), "changed");
}

test.each(["in a repository", "without a repository"])(
	"%s all is as it was, to the byte and the mode",
	async (where) => {
		const project = createProject();
		if (where === "in a repository") project.git("init", "-q");
		withFiles(project);
		const before = contentsOf(project.top);
		const worktree = await project.open();
		const state = await keep(worktree);
		change(project);
		const changed = contentsOf(project.top);
		const put = await putBackAll(worktree, state);
		expect(contentsOf(project.top)).toEqual(before);
		// And the undo is undone, by another process, as it were.
		await putBackAll(await project.open(), put.before);
		expect(contentsOf(project.top)).toEqual(changed);
	},
);

test("the repository is not touched: no commit, branch, index, file of it", async () => {
	const project = createProject();
	project.git("init", "-q");
	withFiles(project);
	project.git("add", "-A");
	project.git("commit", "-q", "-m", "first");
	project.put("staged", "1");
	project.git("add", "staged");
	project.put("staged", "2");
	const seen = () => [
		project.git("--no-optional-locks", "status", "--porcelain"),
		contentsOf(join(project.top, ".git")),
	];
	const before = seen();
	const worktree = await project.open();
	const state = await keep(worktree);
	unlinkSync(join(project.top, "a.txt"));
	project.put("new", "new");
	await putBackAll(worktree, state);
	expect(seen()).toEqual(before);
});

test("what has changed is told, with its lines, whoever has changed it", async () => {
	const project = createProject();
	withFiles(project);
	const worktree = await project.open();
	const state = await keep(worktree);
	change(project);
	const told = await worktree.changesSince(state, NEVER);
	if (told.is === "not_kept") throw new Error(told.reason);
	expect(told.changes).toEqual(
		expect.arrayContaining([
			{ path: "a.txt", is: "changed", lines: { added: 1, removed: 1 } },
			{ path: "binary", is: "deleted" },
			{ path: "new-dir/sub/new.txt", is: "added", lines: { added: 1, removed: 0 } },
			{ path: "run.sh", is: "changed", lines: { added: 0, removed: 0 } },
			{ path: "secret", is: "changed" },
			{ path: "new/empty/", is: "added" },
			{ path: "empty/inner/", is: "deleted" },
		]),
	);
	expect(told.changes).toHaveLength(17);
});

test("ignored files are not touched, nor what was ignored when the state was kept", async () => {
	const project = createProject();
	project.git("init", "-q");
	project.put(".gitignore", "*.log\n/build/\n.env\n");
	project.put(".env", "the person's secret");
	project.put("build/out", "1");
	project.put("a.log", "log");
	project.put(".venv/.gitignore", "*\n");
	project.put(".venv/lib/x", "x");
	project.put("src", "1");
	const worktree = await project.open();
	const state = await keep(worktree);
	expect(JSON.stringify(statesIn(join(project.base, "undo/states")))).not.toContain("secret");
	project.put(".gitignore", ""); // now nothing is ignored
	unlinkSync(join(project.top, ".venv/.gitignore"));
	project.put("build/out", "2");
	project.put("build/more", "2");
	project.put("src", "2");
	const put = await worktree.putBack(state, NEVER);
	if (put.is === "not_kept") throw new Error(put.reason);
	expect(put.done).toMatchObject({ written: expect.arrayContaining([".gitignore", "src"]), removed: [] });
	expect(contentsOf(project.top)).toMatchObject({
		".env": expect.stringContaining("the person's secret"),
		"build/out": expect.stringMatching(/ 2$/),
		"build/more": expect.stringMatching(/ 2$/),
		"a.log": expect.stringMatching(/ log$/),
		".venv/lib/x": expect.stringMatching(/ x$/),
		src: expect.stringMatching(/ 1$/),
	});
});

test("a file that is ignored only now is left where it is, and comes back where it is gone", async () => {
	const project = createProject();
	project.git("init", "-q");
	for (const name of ["here", "gone"]) project.put(name, "kept");
	const worktree = await project.open();
	const state = await keep(worktree);
	project.put(".gitignore", "here\ngone\n");
	project.put("here", "changed by its owner");
	unlinkSync(join(project.top, "gone"));
	const put = await worktree.putBack(state, NEVER);
	if (put.is === "not_kept") throw new Error(put.reason);
	expect(put.done.left).toEqual([{ path: "here", because: { is: "ignored" } }]);
	expect(contentsOf(project.top)).toEqual({ here: "644 changed by its owner", gone: "644 kept" });
});

test("files that the repository tracks although it ignores them are kept", async () => {
	const project = createProject();
	project.git("init", "-q");
	project.put(".gitignore", "*.gen\n");
	project.put("a.gen", "1");
	project.git("add", "-f", "a.gen");
	const worktree = await project.open();
	const state = await keep(worktree);
	project.put("a.gen", "2");
	await putBackAll(worktree, state);
	expect(readFileSync(join(project.top, "a.gen"), "utf8")).toBe("1");
});

test("the user's own ignore rules count, those of .git/info/exclude and of their configuration", async () => {
	const project = createProject();
	project.git("init", "-q");
	project.put(".git/info/exclude", "excluded\n");
	project.git("config", "--global", "core.excludesFile", "~/ignored-by-me");
	writeFileSync(join(project.base, "home/ignored-by-me"), "mine\n");
	for (const name of ["excluded", "mine", "kept"]) project.put(name, "1");
	const worktree = await project.open();
	const state = await keep(worktree);
	for (const name of ["excluded", "mine", "kept"]) project.put(name, "2");
	const told = await worktree.changesSince(state, NEVER);
	expect(told).toMatchObject({ changes: [{ path: "kept" }], kept: { ignored: ["excluded", "mine"] } });
});

test("nested repositories and FIFOs are said or passed over, and not entered", async () => {
	const project = createProject();
	project.git("init", "-q");
	project.git("init", "-q", "inner");
	project.put("inner/file", "1");
	project.git("init", "-q", "without-commit");
	project.put("src", "1");
	spawnSync("mkfifo", [join(project.top, "fifo")]);
	const worktree = await project.open();
	const kept = await worktree.keep({ is: "message", text: "" }, NEVER);
	if (kept.is === "not_kept") throw new Error(kept.reason);
	expect(kept.facts.skipped).toEqual([
		{ path: "inner/", because: "repository" },
		{ path: "without-commit/", because: "repository" },
	]);
	project.put("inner/file", "2");
	project.git("init", "-q", "cloned");
	project.put("cloned/file", "2");
	unlinkSync(join(project.top, "src"));
	spawnSync("mkfifo", [join(project.top, "src")]);
	const put = await worktree.putBack(kept.state, NEVER);
	const because = { is: "not_kept" };
	const left = [
		{ path: "src", because },
		{ path: "cloned/", because },
	];
	expect(put).toMatchObject({ done: { left } });
	expect(contentsOf(project.top)).toMatchObject({ "inner/file": "644 2", "cloned/file": "644 2", src: "special" });
});

test("a file that is too large is named, not kept and not touched", async () => {
	const project = createProject();
	project.put("large", "x".repeat(2_000));
	project.put("grows", "small");
	project.put("small", "s");
	const worktree = await project.open({ bounds: { fileBytes: 1_000 } });
	const kept = await worktree.keep({ is: "message", text: "" }, NEVER);
	if (kept.is === "not_kept") throw new Error(kept.reason);
	expect(kept.facts.skipped).toEqual([{ path: "large", because: "too_large" }]);
	project.put("large", "y".repeat(2_000));
	project.put("grows", "y".repeat(2_000));
	project.put("new-large", "y".repeat(2_000));
	project.put("small", "changed");
	const put = await worktree.putBack(kept.state, NEVER);
	const because = { is: "not_kept" };
	const left = [
		{ path: "grows", because },
		{ path: "new-large", because },
	];
	expect(put).toMatchObject({ done: { written: ["small"], left } });
	expect(existsSync(join(project.top, "new-large"))).toBe(true);
});

test("where there is no room for all, small files are kept", async () => {
	const project = createProject();
	for (const name of ["a", "b", "c"]) project.put(name, "x".repeat(400));
	project.put("small", "s");
	const worktree = await project.open({ bounds: { treeBytes: 1_000 } });
	const kept = await worktree.keep({ is: "message", text: "" }, NEVER);
	expect(kept).toMatchObject({ read: 3, facts: { skipped: [{ path: "c", because: "no_room" }] } });
});

test("a tree of too many files is not kept, nor what is more than a run may keep", async () => {
	const project = createProject();
	for (const name of ["a", "b", "c"]) project.put(name, randomBytes(400));
	const many = await project.open({ bounds: { files: 2 } });
	const why = { is: "message", text: "" } as const;
	expect(await many.keep(why, NEVER)).toEqual({ is: "not_kept", reason: `${project.top} has more than 2 files` });
	const full = await project.open({ bounds: { storeBytes: 2_000 } });
	expect(await full.keep(why, NEVER)).toMatchObject({ is: "kept" });
	project.put("a", randomBytes(800));
	expect(await full.keep(why, NEVER)).toMatchObject({ is: "not_kept", reason: expect.stringContaining("1.9 KiB") });
});

test("a link in the place of a directory leads nowhere: nothing outside of the tree is written or removed", async () => {
	const project = createProject();
	project.put("dir/file", "kept");
	project.put("dir/same", "same");
	const worktree = await project.open();
	const state = await keep(worktree);
	const outside = join(project.base, "outside");
	mkdirSync(outside);
	writeFileSync(join(outside, "file"), "outside");
	rmSync(join(project.top, "dir"), { recursive: true });
	symlinkSync(outside, join(project.top, "dir"));
	await putBackAll(worktree, state);
	expect(contentsOf(outside)).toEqual({ file: "644 outside" });
	expect(contentsOf(project.top)).toEqual({ "dir/": "", "dir/file": "644 kept", "dir/same": "644 same" });
});

test("a directory with ignored files in the place of a file stays", async () => {
	const project = createProject();
	project.git("init", "-q");
	project.put(".gitignore", "*.log\n");
	project.put("file", "kept");
	const worktree = await project.open();
	const state = await keep(worktree);
	unlinkSync(join(project.top, "file"));
	project.put("file/a.log", "ignored");
	project.put("file/b", "made since");
	const put = await worktree.putBack(state, NEVER);
	expect(put).toMatchObject({
		done: { removed: ["file/b"], left: [{ path: "file", because: { is: "system", code: "ENOTEMPTY" } }] },
	});
	expect(contentsOf(join(project.top, "file"))).toEqual({ "a.log": "644 ignored" });
});

test("of 2,000 files only what has changed is read again, also by a later run, which takes no more room", async () => {
	const project = createProject();
	project.git("init", "-q");
	for (let n = 0; n < 2_000; n++) project.put(`d${n % 100}/f${n}`, `${n}\n`);
	const first = await project.open();
	const why = { is: "message", text: "" } as const;
	expect(await first.keep(why, NEVER)).toMatchObject({ is: "kept", read: 2_000 });
	expect(await first.keep(why, NEVER)).toMatchObject({ is: "kept", read: 0 });
	project.put("d1/f1", "changed");
	const kept = await first.keep(why, NEVER);
	expect(kept).toMatchObject({ is: "kept", read: 1 });
	const later = await project.open({ directory: join(project.base, "later"), earlier: [join(project.base, "undo")] });
	project.put("d2/f2", "changed");
	const again = await later.keep(why, NEVER);
	expect(again).toMatchObject({ is: "kept", read: 1 });
	rmSync(join(project.base, "undo"), { recursive: true }); // the earlier run is removed
	project.put("d3/f3", "changed");
	if (again.is === "kept") await putBackAll(later, again.state);
	expect(readFileSync(join(project.top, "d3/f3"), "utf8")).toBe("3\n");
	const packs = (directory: string) => readdirSync(join(project.base, directory, "git/objects/pack"));
	expect(packs("later").length).toBeGreaterThan(0);
});

test("two processes may keep and put back at the same time", async () => {
	const project = createProject();
	for (let n = 0; n < 200; n++) project.put(`f${n}`, `${n}\n`);
	const [one, other] = [await project.open(), await project.open()];
	const state = await keep(one);
	for (let n = 0; n < 200; n++) project.put(`f${n}`, "changed");
	const states = await Promise.all([keep(one), keep(other), keep(one, "b"), keep(other, "c")]);
	expect(new Set(states.map(({ id }) => id)).size).toBe(4);
	expect(new Set(states.map(({ tree }) => tree)).size).toBe(1);
	const [put] = await Promise.all([one.putBack(state, NEVER), keep(other)]);
	expect(put).toMatchObject({ is: "done", done: { left: [] } });
	expect(contentsOf(project.top).f7).toBe("644 7\n");
});

test("a submodule and a linked work tree are found by git's files that point to them", async () => {
	const project = createProject();
	project.git("init", "-q");
	project.put("a", "1");
	project.git("add", "-A");
	project.git("commit", "-q", "-m", "first");
	project.git("clone", "-q", project.top, join(project.base, "library"));
	project.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", join(project.base, "library"), "sub");
	project.git("worktree", "add", "-q", join(project.base, "linked"));
	project.put(".git/info/exclude", "excluded\n");
	const whole = await project.open();
	expect(await whole.keep({ is: "message", text: "" }, NEVER)).toMatchObject({
		facts: { skipped: [{ path: "sub/", because: "repository" }] },
	});
	const linked = join(project.base, "linked");
	writeFileSync(join(linked, "excluded"), "1");
	const other = await project.open({ cwd: linked, directory: join(project.base, "other") });
	expect([other.top, other.isRepository]).toEqual([linked, true]);
	expect(await other.keep({ is: "message", text: "" }, NEVER)).toMatchObject({ facts: { ignored: ["excluded"] } });
	const sub = await project.open({ cwd: join(project.top, "sub"), directory: join(project.base, "third") });
	expect([sub.top, sub.isRepository]).toEqual([join(project.top, "sub"), true]);
});

test("a file that is changed again in the second in which it was kept is seen, also in a later second", async () => {
	const project = createProject();
	const worktree = await project.open();
	const later = (name: string) =>
		project.open({ directory: join(project.base, name), earlier: [join(project.base, "undo")] });
	const second = () => Math.floor(Date.now() / 1_000);
	const file = join(project.top, "a");
	let state: KeptState;
	do {
		await vi.waitFor(() => expect(Date.now() % 1_000).toBeLessThan(100), { timeout: 5_000, interval: 5 });
		rmSync(file, { force: true });
		project.put("a", "1");
		state = await keep(worktree);
		writeFileSync(file, "2"); // of the same size, in the same inode
	} while (Math.floor(statSync(file).birthtimeMs / 1_000) !== Math.floor(statSync(file).ctimeMs / 1_000));
	const now = second();
	await vi.waitFor(() => expect(second()).toBeGreaterThan(now), { timeout: 5_000, interval: 5 });
	expect((await keep(await later("run"))).tree).not.toBe(state.tree);
	await putBackAll(worktree, state);
	expect(contentsOf(project.top)).toEqual({ a: "644 1" });
});

test.each(["a repository around it was made", "its repository was removed"])(
	"when %s since, paths would mean other files, and nothing is touched",
	async (what) => {
		const project = createProject();
		const cwd = join(project.top, "sub");
		project.put("other", "1");
		project.put("sub/a", "1");
		if (what.startsWith("its")) project.git("init", "-q");
		const state = await keep(await project.open({ cwd }));
		if (what.startsWith("its")) rmSync(join(project.top, ".git"), { recursive: true });
		else project.git("init", "-q");
		project.put("sub/a", "2");
		const worktree = await project.open({ cwd });
		const not = { is: "not_kept", reason: expect.stringContaining("a repository was created or removed") };
		expect(await worktree.changesSince(state, NEVER)).toEqual(not);
		expect(await worktree.putBack(state, NEVER)).toEqual(not);
		expect(contentsOf(project.top)).toEqual({ other: "644 1", "sub/": "", "sub/a": "644 2" });
	},
);

test("a tree that was renamed since is the same", async () => {
	const project = createProject();
	project.put("a", "1");
	const state = await keep(await project.open());
	project.put("a", "2");
	renameSync(project.top, `${project.top}-renamed`);
	await putBackAll(await project.open({ cwd: `${project.top}-renamed` }), state);
	expect(contentsOf(`${project.top}-renamed`)).toEqual({ a: "644 1" });
});

test("what has come since and cannot be kept is said, and stays", async () => {
	const project = createProject();
	project.git("init", "-q");
	project.put("a", "1");
	project.put("large", "x".repeat(100));
	const worktree = await project.open({ bounds: { fileBytes: 10 } });
	const state = await keep(worktree);
	project.put("a", "2");
	project.put("larger", "x".repeat(100));
	project.git("clone", "-q", project.top, join(project.top, "clone"));
	const left = ["clone/", "larger"].map((path) => ({ path, because: { is: "not_kept" } }));
	expect(await worktree.changesSince(state, NEVER)).toMatchObject({ changes: [{ path: "a" }], left });
	expect(await worktree.putBack(state, NEVER)).toMatchObject({ is: "done", done: { written: ["a"], left } });
});

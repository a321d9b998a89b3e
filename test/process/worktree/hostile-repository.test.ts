/** Nothing of a repository, and nothing of a user's configuration, is run or changes a byte of what is kept. */
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runUndo } from "../../../src/cli/undo/run-undo.ts";
import { personOf } from "../../../src/project/project-of.ts";
import { SavedTree } from "../../../src/project/undo/saved-tree.ts";
import { addState } from "../../../src/project/undo/tree-store.ts";
import { lookAtRepository } from "../../../src/project/worktrees/place-worktree.ts";
import { repositoryGit } from "../../../src/project/worktrees/repository-git.ts";
import { undoDirectory } from "../../../src/record/run-directory.ts";
import { runProgram, startProgram, temporaryHome } from "../program.ts";
import { contentsOf, createProject, keep, NEVER, type Project, putBackAll } from "./project.ts";

/** A program that leaves a mark when it is run. */
function trap({ base }: Project, name: string): { path: string; hasRun: () => boolean } {
	const path = join(base, name);
	writeFileSync(path, `#!/bin/sh\ntouch ${base}/ran-${name}\ncat\n`, { mode: 0o755 });
	return { path, hasRun: () => readdirSync(base).some((file) => file.startsWith("ran-")) };
}

/** Wherever git runs what a configuration names. */
function setTraps(project: Project): () => boolean {
	const { path, hasRun } = trap(project, "trap");
	const settings = {
		"core.fsmonitor": path,
		"core.hooksPath": join(project.base, "hooks"),
		"core.pager": path,
		"core.sshCommand": path,
		"core.alternateRefsCommand": path,
		"core.askPass": path,
		"core.editor": path,
		"filter.evil.clean": path,
		"filter.evil.smudge": path,
		"filter.evil.process": path,
		"filter.evil.required": "true",
		"diff.evil.textconv": path,
		"diff.evil.command": path,
		"diff.external": path,
		"core.autocrlf": "true",
		"core.worktree": join(project.base, "home"),
		"extensions.partialClone": "origin",
		"remote.origin.url": `ext::${path}`,
		"remote.origin.promisor": "true",
		"protocol.ext.allow": "always",
		"core.attributesFile": join(project.base, "attributes"),
	};
	for (const where of ["--local", "--global"])
		for (const [name, value] of Object.entries(settings)) project.git("config", where, name, value);
	writeFileSync(join(project.base, "attributes"), "* filter=evil diff=evil\n");
	for (const directory of [join(project.base, "hooks"), join(project.top, ".git/hooks")]) {
		mkdirSync(directory, { recursive: true });
		for (const hook of ["post-index-change", "post-checkout", "pre-auto-gc", "reference-transaction", "pre-commit"])
			symlinkSync(path, join(directory, hook));
	}
	return hasRun;
}

test("no filter, hook, monitor, text conversion or transport of a repository runs, and no byte is converted", async () => {
	const project = createProject();
	project.git("init", "-q");
	project.put(
		".gitattributes",
		"* filter=evil diff=evil ident text=auto eol=crlf\nutf16 working-tree-encoding=UTF-16\n",
	);
	project.put("crlf", "a\r\nb\r\n$Id$\n");
	project.put("lf", "a\nb\n$Id: abc $\n");
	project.put("utf16", Buffer.from("\ufeffa\n", "utf16le"));
	project.git("add", "lf");
	project.git("commit", "-q", "-m", "first");
	const hasRun = setTraps(project);
	spawnSync("git", ["--work-tree", project.top, "add", "-A"], { cwd: project.top, env: project.env }); // git itself falls into them
	expect(hasRun()).toBe(true);
	for (const file of readdirSync(project.base)) if (file.startsWith("ran-")) unlinkSync(join(project.base, file));
	const before = contentsOf(project.top);
	const worktree = await project.open();
	expect(worktree.top).toBe(project.top);
	const state = await keep(worktree);
	for (const name of ["crlf", "lf", "utf16"]) project.put(name, "changed");
	await worktree.changesSince(state, NEVER);
	await putBackAll(worktree, state);
	expect(contentsOf(project.top)).toEqual(before);
	expect(hasRun()).toBe(false);
});

/** Each program that git may run to look leaves a mark of its name; what HEAD names is missing, and to be fetched by one of them. */
function hostileRepository() {
	const project = createProject();
	const { top, git } = project;
	git("init", "-q");
	project.put(".gitattributes", "* filter=evil diff=evil\n");
	project.put("a", "1");
	git("add", ".");
	git("commit", "-q", "-m", "first");
	const marks = join(top, ".git/marks"); // which commands in a sandbox can write, too
	mkdirSync(marks);
	const trapped = (name: string, then = "exit 1") => {
		const path = join(top, ".git", name);
		writeFileSync(path, `#!/bin/sh\ntouch ${marks}/${name}\n${then}\n`, { mode: 0o755 });
		return path;
	};
	const settings = {
		...{ "core.fsmonitor": trapped("fsmonitor"), "core.hooksPath": join(top, ".git/hooked") },
		...{ "filter.evil.smudge": trapped("smudge") },
		...{ "core.pager": trapped("pager"), "pager.status": "true", "core.sshCommand": trapped("ssh") },
		...{ "credential.helper": trapped("credential"), "gpg.program": trapped("gpg"), "diff.external": trapped("diff") },
		...{ "diff.evil.textconv": trapped("textconv"), "alias.status": `!${trapped("alias")}` },
		...{ "core.repositoryFormatVersion": "1", "extensions.partialClone": "origin", "remote.origin.promisor": "true" },
		...{ "remote.origin.url": `ext::${trapped("fetch")}`, "protocol.ext.allow": "always" },
		"include.path": join(top, ".git/included"),
	};
	for (const [name, value] of Object.entries(settings)) git("config", name, value);
	writeFileSync(settings["include.path"], `[filter "evil"]\n\tclean = ${trapped("clean", "cat")}\n`);
	mkdirSync(settings["core.hooksPath"]);
	for (const hook of ["post-index-change", "reference-transaction", "post-checkout"])
		symlinkSync(trapped("hook"), join(settings["core.hooksPath"], hook));
	const tree = spawnSync("git", ["rev-parse", "HEAD^{tree}"], { cwd: top, env: project.env, encoding: "utf8" }).stdout;
	const object = join(top, ".git/objects", tree.slice(0, 2), tree.slice(2).trim());
	return {
		...project,
		marks: () => readdirSync(marks).sort(),
		forget: () => readdirSync(marks).map((name) => unlinkSync(join(marks, name))),
		object,
	};
}

// Seen to fail: what was missing was fetched, and in a sandbox filters ran.
test("no command runs what a repository names, where nobody trusts it, to look at it", async () => {
	const { base, top, env, marks, forget, put, object } = hostileRepository();
	put("a", "2");
	const plain = () => spawnSync("git", ["status"], { cwd: top, env, stdio: "ignore", timeout: 10_000 });
	const RUN = ["run", "-q", "--model", "shell", "true", "--sandbox"];
	const look = async (...commands: readonly string[][]) => {
		await lookAtRepository(top, repositoryGit({ env, signal: AbortSignal.timeout(20_000) }), personOf(env));
		for (const args of commands) {
			await runProgram(args, { home: base, cwd: top, env: { AGENTREE_SANDBOX: "" } });
			expect([args, marks()]).toEqual([args, []]);
		}
	};
	await look([...RUN, "workspace"], ["undo"], ["doctor"]);
	plain();
	rmSync(object);
	plain();
	expect(marks()).toEqual(expect.arrayContaining(["clean", "fetch", "fsmonitor"])); // git itself falls into them
	forget();
	await look([...RUN, "workspace"], [...RUN, "off"]);
});

test("what a command has written into our store is not run either", async () => {
	const project = createProject();
	project.put("a", "1");
	const { path, hasRun } = trap(project, "trap");
	const state = await keep(await project.open());
	const git = join(project.base, "undo/git");
	writeFileSync(
		join(git, "config"),
		`[core]\nrepositoryformatversion=0\nfsmonitor=${path}\nhooksPath=${project.base}\n[filter "evil"]\nclean=${path}\nsmudge=${path}\n`,
	);
	writeFileSync(join(git, "info/attributes"), "* filter=evil\n");
	mkdirSync(join(git, "hooks"));
	symlinkSync(path, join(git, "hooks/post-index-change"));
	project.put("a", "2");
	await putBackAll(await project.open(), state);
	expect(hasRun()).toBe(false);
});

test("a git that lies in the tree is not run for that", async () => {
	const project = createProject();
	project.put("git", "#!/bin/sh\ntouch ran\n");
	chmodSync(join(project.top, "git"), 0o755);
	const worktree = await project.open({ env: { ...project.env, PATH: `.:${project.env.PATH}` } });
	await keep(worktree);
	expect(existsSync(join(project.top, "ran"))).toBe(false);
});

test("a pointer to another repository's directory, and a configured tree, lead nowhere else", async () => {
	const project = createProject();
	const other = join(project.base, "other");
	mkdirSync(other);
	writeFileSync(join(other, "HEAD"), "ref: refs/heads/main\n");
	project.put(".git", `gitdir: ${other}\n`);
	project.put("a", "1");
	const worktree = await project.open();
	expect(worktree.top).toBe(project.top);
	const state = await keep(worktree);
	project.put("a", "2");
	await putBackAll(worktree, state);
	expect(readdirSync(other)).toEqual(["HEAD"]);
});

/** What stands in the place of something that git reads, by what is said of it. */
const IN_PLACE: Readonly<Record<string, (project: Project) => void>> = {
	"a FIFO in the place of .git/info/exclude": ({ top }) => fifoAt(join(top, ".git/info/exclude")),
	"a FIFO in the place of .git/index": ({ top }) => fifoAt(join(top, ".git/index")),
	"a FIFO in the place of .git/config": ({ top }) => fifoAt(join(top, ".git/config")),
	"garbage in the place of .git/index": ({ top }) => writeFileSync(join(top, ".git/index"), "garbage"),
	"a FIFO as the file of ignore rules": ({ base, git }) => {
		fifoAt(join(base, "rules"));
		git("config", "core.excludesFile", join(base, "rules"));
	},
	"a directory as the file of ignore rules": ({ base, git }) => git("config", "core.excludesFile", base),
};

function fifoAt(path: string): void {
	rmSync(path, { force: true });
	spawnSync("mkfifo", [path]);
}

test.each(Object.keys(IN_PLACE))("%s holds nothing up", async (what) => {
	const project = createProject();
	project.git("init", "-q");
	project.put("a", "1");
	project.git("add", "a");
	IN_PLACE[what]?.(project);
	const worktree = await project.open();
	const state = await keep(worktree);
	project.put("a", "2");
	await putBackAll(worktree, state);
	expect(contentsOf(project.top)).toEqual({ a: "644 1" });
});

test("a git that fails, as on a full disk, leaves nothing half written, and why is told without its warnings", async () => {
	const project = createProject();
	project.put("a", "1");
	const real = spawnSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).stdout.trim();
	const bin = join(project.base, "bin");
	mkdirSync(bin);
	const half = [
		`for at in "" pack/ 00/; do mkdir -p $GIT_DIR/objects/$at; echo half > $GIT_DIR/objects/${"$"}{at}tmp_x; done`,
	];
	const told = ["echo warning: odd >&2", "echo fatal: no room >&2", "echo hint: odd >&2"];
	const script = [
		`case "$*" in *update-index*) ${[...half, ...told, "exit 128"].join("; ")};; esac`,
		`exec ${real} "$@"`,
	];
	writeFileSync(join(bin, "git"), `#!/bin/bash\n${script.join("\n")}\n`, { mode: 0o755 });
	const worktree = await project.open({ env: { ...project.env, PATH: `${bin}:${project.env.PATH}` } });
	const kept = await worktree.keep({ is: "message", text: "" }, NEVER);
	expect(kept).toMatchObject({ is: "not_kept", reason: "fatal: no room" });
	const found = readdirSync(join(project.base, "undo/git/objects"), { recursive: true, encoding: "utf8" });
	expect(found.sort()).toEqual(["00", "pack"]);
});

test("a state of a made-up tree puts nothing outside of the tree, and nothing into .git", async () => {
	const project = createProject();
	project.git("init", "-q");
	project.put("a", "1");
	const worktree = await project.open();
	const state = await keep(worktree);
	// Trees with names that git would never write: a directory "..", and ".git".
	const env = { ...project.env, GIT_DIR: join(project.base, "undo/git") };
	const made = (input: string | Buffer, type: string) =>
		spawnSync("git", ["hash-object", "-w", "--literally", "-t", type, "--stdin"], {
			env,
			input,
			encoding: "latin1",
		}).stdout.trim();
	const blob = made("evil", "blob");
	const treeOf = (mode: string, name: string, id: string) =>
		made(Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(id, "hex")]), "tree");
	for (const tree of [
		treeOf("40000", "..", treeOf("100644", "outside", blob)),
		treeOf("40000", ".git", treeOf("100644", "config", blob)),
	]) {
		const { id: _, ...rest } = state;
		const put = await worktree.putBack(addState(join(project.base, "undo/states"), { ...rest, tree }), NEVER);
		expect(put).toMatchObject({ is: "done", done: { written: [], removed: ["a"] } });
		project.put("a", "1");
	}
	expect(existsSync(join(project.base, "outside"))).toBe(false);
	expect(project.git("config", "core.bare").trim()).toBe("false");
});

test("without git it is said", async () => {
	const project = createProject();
	const own = { cwd: project.top, directory: join(project.base, "undo"), own: [], signal: NEVER, now: Date.now };
	expect(await SavedTree.open({ ...own, env: { HOME: project.env.HOME, PATH: project.base } })).toEqual({
		is: "none",
		reason: "git is not installed",
	});
});

test.each(["/", "home"])("%s is no tree of a project", async (where) => {
	const project = createProject();
	const cwd = where === "/" ? "/" : join(project.base, "home");
	await expect(project.open({ cwd })).rejects.toThrow("is more than a project");
});

test("a directory that the repository around it ignores is a tree of its own", async () => {
	const project = createProject();
	project.git("init", "-q");
	project.put(".gitignore", "/scratch/\n");
	project.put("scratch/a", "1");
	project.put("scratch/node_modules/x", "1");
	const worktree = await project.open({ cwd: join(project.top, "scratch") });
	expect(worktree.top).toBe(join(project.top, "scratch"));
	const kept = await worktree.keep({ is: "message", text: "" }, NEVER);
	expect(kept).toMatchObject({ read: 1, facts: { ignored: ["node_modules/"] } });
});

// Seen to fail: the bytes of the rule were written as characters, and the file was kept, and removed by an undo.
test("a rule of .git/info/exclude holds to the byte", async () => {
	const project = createProject();
	project.git("init", "-q");
	writeFileSync(
		join(project.top, ".git/info/exclude"),
		Buffer.concat([Buffer.from("/büro.key\n"), Buffer.from("b\xffd\n", "latin1")]),
	);
	project.put("büro.key", "1");
	writeFileSync(Buffer.from(`${project.top}/b\xffd`, "latin1"), "1");
	expect(await (await project.open()).keep({ is: "message", text: "" }, NEVER)).toMatchObject({ read: 0 });
});

test("agentree's own directory in a tree is no part of it", async () => {
	const project = createProject();
	project.put("a", "1");
	const state = join(project.top, "st[a]te");
	const worktree = await project.open({ directory: join(state, "runs/1/undo"), own: [state] });
	expect(await worktree.keep({ is: "message", text: "" }, NEVER)).toMatchObject({
		read: 1,
		facts: { ignored: ["st[a]te/"] },
	});
});

test("a FIFO in the place of an index of ours holds nothing up, nor in that of an earlier run", async () => {
	const project = createProject();
	project.put("a", "1");
	const state = await keep(await project.open());
	unlinkSync(join(project.base, "undo/index"));
	spawnSync("mkfifo", [join(project.base, "undo/index")]);
	const later = await project.open({ directory: join(project.base, "later"), earlier: [join(project.base, "undo")] });
	expect((await keep(later)).tree).toBe(state.tree);
	project.put("a", "2");
	await putBackAll(await project.open(), state);
	expect(contentsOf(project.top)).toEqual({ a: "644 1" });
});

test("a FIFO that is called .gitignore ends an undo after a while, and nothing is touched", async () => {
	const home = temporaryHome();
	const cwd = join(home, "project");
	mkdirSync(cwd);
	const program = startProgram(["run", "-m", "shell", "true"], { home, cwd });
	await program.ended;
	const directory = await program.runDirectory();
	const env = { PATH: process.env.PATH ?? "", HOME: home };
	const options = { cwd, directory: undoDirectory(directory), own: [], env, signal: NEVER, now: Date.now };
	const opened = await SavedTree.open(options);
	if (opened.is === "open") await keep(opened.worktree);
	spawnSync("mkfifo", [join(cwd, ".gitignore")]);
	const host = { env, home: join(home, "agentree"), now: Date.now, signal: NEVER, mostLookMs: 500 };
	const found = await runUndo(directory, undefined, host);
	expect(found).toEqual({ is: "nothing", reason: "it takes too long", isUnchanged: false, hasFailed: true });
});

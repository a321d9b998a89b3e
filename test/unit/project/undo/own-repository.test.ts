/** Repositories are found as git finds them: each is made by git itself, and git is asked. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { ownRepository, repositoryAround } from "../../../../src/project/repository-around.ts";
import { rowsOf } from "../../rows-of.ts";

const ENVIRONMENT = {
	...{ PATH: process.env.PATH, HOME: "/nonexistent", GIT_CEILING_DIRECTORIES: tmpdir() },
	...{ GIT_AUTHOR_NAME: "n", GIT_AUTHOR_EMAIL: "e@x", GIT_COMMITTER_NAME: "n", GIT_COMMITTER_EMAIL: "e@x" },
};

function run(program: string, args: readonly string[], cwd: string): string {
	const { status, stdout, stderr } = spawnSync(program, args, { cwd, encoding: "utf8", env: ENVIRONMENT });
	if (status !== 0) throw new Error(stderr);
	return stdout.trimEnd();
}

/** What git says: the tree, the repository, what is shared. */
function askedGit(cwd: string): string[] | undefined {
	try {
		const args = ["rev-parse", "--path-format=absolute", "--show-toplevel", "--git-dir", "--git-common-dir"];
		return run("git", args, cwd)
			.split("\n")
			.map((path) => realpathSync(path));
	} catch {
		return undefined;
	}
}

function found(cwd: string): string[] | undefined {
	const around = repositoryAround(realpathSync(cwd));
	const paths = around && [around.top, around.repository.directory, around.repository.common];
	return paths?.map((path) => realpathSync(path));
}

function directory(): string {
	const made = realpathSync(mkdtempSync(join(tmpdir(), "agentree-found-")));
	onTestFinished(() => rmSync(made, { recursive: true, force: true }));
	mkdirSync(join(made, "p"));
	return made;
}

/** `R` makes a repository, and `P` the file that names one. */
const BEGIN = `set -e
R() { git init -q $1; git -C $1 commit -q --allow-empty -m first; }
P() { echo "gitdir: $2" > $1/.git; }
S="git -c protocol.file.allow=always submodule"`;

/** What is made in a directory with an empty p; the working directory in it; what of the repository is written to: `none` of another tree's. */
const KINDS = rowsOf(`
a directory | R p | p | p/.git
that of a parent | R p; mkdir -p p/a/b | p/a/b | p/.git
that of a parent, over an empty .git | R p; mkdir -p p/a/.git | p/a | p/.git
a separate directory | git init -q --separate-git-dir s p | p | s
a link | R p; mv p/.git real.git; ln -s ../real.git p/.git | p | real.git
a link to a file | R p; mv p/.git real.git; echo "gitdir: $PWD/real.git" > pointer; ln -s ../pointer p/.git | p | real.git
a worktree | R p; git -C p worktree add -q ../w | w | p/.git/worktrees/w p/.git
a worktree with relative paths | R p; git -C p worktree add -q ../w; P w ../p/.git/worktrees/w; echo ../../../../w/.git > p/.git/worktrees/w/gitdir | w | p/.git/worktrees/w p/.git
a submodule in a worktree | R p; R x; cd p; $S add -q ../x sub; git commit -qm sub; git worktree add -q ../w; cd ../w; $S update -q --init | w/sub | p/.git/worktrees/w/modules/sub
a checkout of repo | cd p; mkdir -p src .repo/projects .repo/project-objects/x.git; R src/x; mv src/x/.git .repo/projects/x.git; mv .repo/projects/x.git/objects .repo/project-objects/x.git/; ln -s ../../project-objects/x.git/objects .repo/projects/x.git/objects; ln -s ../../.repo/projects/x.git src/x/.git | p/src/x | p/.repo/projects/x.git p/.repo/project-objects/x.git
an older checkout of repo | cd p; mkdir -p .repo/projects; R x; mv x/.git .repo/projects/x.git; mkdir x/.git; mv .repo/projects/x.git/HEAD x/.git; for n in config hooks objects refs info logs; do ln -s ../../.repo/projects/x.git/$n x/.git/$n; done | p/x | p/x/.git p/.repo/projects/x.git
that of another tree in the tree, which a file names | R p/sub; touch p/sub/file; P p ./sub/.git | p | p/sub/.git
none | true | p
a file that names nothing | P p ../nothing | p
a file that names nothing, below another | R p; mkdir p/a; P p/a ../nothing | p/a
a directory in the tree whose commondir is that of another | R other; mkdir p/.git; cd p/.git; echo ref: refs/heads/main > HEAD; echo ../../other/.git > commondir; echo $PWD > gitdir | p | none
a link to that of another tree | R other; touch other/file; ln -s ../other/.git p/.git | p | none
a file that names the worktree of another | R other; git -C other worktree add -q ../w; P p ../other/.git/worktrees/w | p | none
a file that names the submodule of another | R other; R x; (cd other; $S add -q ../x sub); P p ../other/.git/modules/sub | p | none`);

// Seen to fail: of a link, a separate directory, relative paths and what `repo` makes, nothing could be written.
test.each(KINDS)("the repository is found as git finds it: %s", (_, make, where = "", own) => {
	const d = directory();
	run("bash", ["-c", `${BEGIN}\n${make}`], d);
	const cwd = join(d, where);
	const around = repositoryAround(realpathSync(cwd));
	if (own !== "none") expect(found(cwd)).toEqual(askedGit(cwd));
	const written = (around && ownRepository(around))?.map((path) => path.slice(d.length + 1));
	expect(written?.join(" ")).toBe(own === "none" ? "" : own);
});

/** What agents in a sandbox put into git worktrees for the supervisor's git, and for a person's, which run outside. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runProgram, temporaryHome } from "../program.ts";
import { atLevel } from "./at-level.ts";
import { NO_SANDBOX, SKIPPED } from "./no-sandbox.ts";

const WHO = { GIT_AUTHOR_NAME: "a", GIT_AUTHOR_EMAIL: "a@b", GIT_COMMITTER_NAME: "a", GIT_COMMITTER_EMAIL: "a@b" };
/** Of the user: a filter that lies in the project, and settings of a work tree alone. */
const CONFIGURATION = `[filter "x"]\n\tsmudge = ./filter\n\tclean = ./filter\n\trequired = true\n[extensions]\n\tworktreeConfig = true\n`;
const EVIL = `$HOME/victim/written`;

function place() {
	const home = temporaryHome();
	const top = join(home, "project");
	mkdirSync(top);
	mkdirSync(join(home, "victim"));
	const git = (...args: string[]) =>
		execFileSync("git", args, { cwd: top, env: { PATH: process.env.PATH, HOME: home, ...WHO }, encoding: "utf8" });
	git("init", "-q", "-b", "main");
	writeFileSync(join(top, "a"), "one\n");
	git("add", ".");
	git("commit", "-qm", "one");
	writeFileSync(join(top, ".git", "config"), readFileSync(join(top, ".git", "config"), "utf8") + CONFIGURATION);
	const run = (task: string) =>
		runProgram(["run", "-q", "--sandbox", "workspace", "--model", "shell", task], { home, cwd: top, env: WHO });
	const remove = async () => {
		const [id = ""] = readdirSync(join(home, "agentree", "runs"));
		return runProgram(["rm", "--yes", id], { home, cwd: top, env: WHO });
	};
	return { home, top, git, run, remove, victims: () => readdirSync(join(home, "victim")) };
}

const commit = (filter: string) =>
	`printf '%s\\n' '#!/bin/sh' '${filter}' 'exec cat' > filter; chmod +x filter; git add filter; git commit -qm f; echo 'z filter=x' > .gitattributes; echo z > z; git add .; git commit -qm b; git ls-files`;
/** In the directory of the run's worktrees. */
const WORKTREES = `"$AGENTREE_HOME"/worktrees/*`;

describe.skipIf(NO_SANDBOX !== undefined)(`worktrees of agents in a sandbox${SKIPPED}`, () => {
	// Seen to fail with git outside of a sandbox: the filter, which is the agent's, wrote what it liked.
	test.each([1, 3])("are made with filters that may do what agents may: at level %i", async (level) => {
		const { run, victims, home } = place();
		const filter = `case "$PWD" in */worktrees/*) echo ran >> made; echo x > "${EVIL}"; mv "$PWD" "$PWD.away"; ln -s "$HOME/victim" "$PWD";; esac`;
		const told = await run(
			atLevel(level, `${commit(filter)}; agent --worktree=w true; ls ${WORKTREES}; cat ${WORKTREES}/*.away/made`),
		);
		expect(told.stdout).toContain("ran\n");
		expect([victims(), existsSync(join(home, "victim/written"))]).toEqual([[], false]);
	});

	test("are made in no place that the agent above has put a link to", async () => {
		const { run, victims } = place();
		const child = "touch ready; until [ -e go ]; do sleep 0.02; done; agent --worktree=two true";
		const told = await run(
			`agent --worktree=one "${child}" & cd ${WORKTREES}; until [ -e one/ready ]; do sleep 0.02; done
			rmdir one+ && ln -s "$HOME/victim" one+ && echo linked; touch one/go; wait`,
		);
		expect(told.stdout).toContain("linked\n");
		expect(victims()).toEqual([]);
	});

	test.each([
		["its .git", 'echo "gitdir: $PWD/evil" > w/.git'],
		["a link in its place", 'mv w away; ln -s "$PWD/evil-tree" w'],
		["the common directory of its entry", 'echo "$PWD/evil" > "$ENTRY/commondir"'],
		["the tree of its entry", 'echo "$PWD/other/.git" > "$ENTRY/gitdir"'],
		[
			"the configuration of its entry",
			'printf \'[core]\\n\\tfsmonitor = %s\\n\' "$PWD/evil/run" > "$ENTRY/config.worktree"',
		],
	])("that an agent above has changed run nothing, and are told of: %s", async (_, change) => {
		const { home, top, run, remove, victims } = place();
		const evil = `mkdir -p evil evil-tree; git init -q --bare evil; printf '#!/bin/sh\\necho x > "${EVIL}"\\n' > evil/run; chmod +x evil/run; git --git-dir=evil config core.fsmonitor "$PWD/evil/run"; echo "gitdir: $PWD/evil" > evil-tree/.git`;
		const told = await run(
			`ENTRY=$PWD/.git/worktrees/w; agent --worktree=w "touch x"; cd ${WORKTREES}; ${evil}; ${change}; cat "$ENTRY/config.worktree" 2>/dev/null; true`,
		);
		expect(told.exit).toBe(0);
		const shown = await runProgram(["show", "1.1"], { home, cwd: top });
		expect(shown.stdout).toContain("its .git is gone, or names another repository");
		expect(shown.stdout).not.toContain("add -A");
		const removed = await remove();
		expect(removed.stderr).toContain("its .git is gone, or names another repository");
		expect(victims()).toEqual([]);
	});

	test("cannot change from inside which repository they are of", async () => {
		const { run, git, top } = place();
		const tries =
			"echo x > .git; rm .git; mv .git g; E=$(git rev-parse --git-dir); for f in commondir gitdir config.worktree; do echo x > $E/$f; done; git status --porcelain; echo end";
		const told = await run(`agent --worktree=w '${tries}'; git worktree list | wc -l; git branch`);
		expect(told.stdout).toMatch(/\nend\n1\n\* main\n$/);
		expect([git("status", "--porcelain"), existsSync(join(top, ".git/worktrees/w"))]).toEqual(["", false]);
	});
});

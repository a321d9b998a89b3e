/** Ordinary work with git goes on in a sandbox as without one. For npm: caches; for Docker: unit/agent/bash/explain-refusal. */
import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runProgram, temporaryHome } from "../program.ts";
import { NO_SANDBOX } from "./no-sandbox.ts";

/** By name, in a repository with a commit and a submodule. */
const LINES: Readonly<Record<string, string>> = {
	commit: "echo x > a && git add a && git commit -qm second && git commit -q --amend -m third",
	branches:
		"git switch -qc topic && echo y > b && git add b && git commit -qm b && git rebase -q main && git switch -q main && git merge -q topic && git branch -q -D topic",
	stash: "echo z >> a && git stash -q && git stash pop -q && git checkout -q a",
	worktree:
		"git worktree add -q wt -b other && (cd wt && git commit -q --allow-empty -m in) && git worktree remove wt && git branch -q -D other",
	submodule:
		"(cd sub && echo s > s && git add s && git commit -qm s) && git add sub && git commit -qm moved && git submodule status",
	"clone and fetch": "git clone -q . copy && git -C copy fetch -q ../sub HEAD && rm -rf copy",
	clean: "git gc -q && git reset -q --hard && git clean -fdq",
};

const SETTINGS = { "user.name": "a", "user.email": "b@c", "protocol.file.allow": "always" };
const MADE = `git init -qb main from && git -C from commit -q --allow-empty -m one && git init -qb main p && cd p &&
	git submodule --quiet add ../from sub && printf 'out\\nwt\\ncopy\\n' > .gitignore && git add . && git commit -qm first`;

test.skipIf(NO_SANDBOX !== undefined)(
	"what people do with git every day works in a sandbox as without one",
	async () => {
		const home = temporaryHome();
		const settings = Object.entries(SETTINGS).flatMap(([name, value], n) => [
			[`GIT_CONFIG_KEY_${n}`, name],
			[`GIT_CONFIG_VALUE_${n}`, value],
		]);
		const env = { GIT_CONFIG_COUNT: String(settings.length / 2), ...Object.fromEntries(settings) };
		const task = Object.entries(LINES)
			.map(([name, line]) => `( ${line} ) > out 2>&1 && echo "${name}: yes" || { echo "${name}: no"; cat out; }`)
			.join("\n");
		const run = async (mode: string) => {
			mkdirSync(join(home, mode));
			spawnSync("sh", ["-c", MADE], { cwd: join(home, mode), env: { PATH: process.env.PATH, HOME: home, ...env } });
			const args = ["run", "-q", "--sandbox", mode, "--model", "shell", task];
			return (await runProgram(args, { home, cwd: join(home, mode, "p"), env })).stdout;
		};
		const works = Object.keys(LINES).map((name) => `${name}: yes\n`);
		expect(await Promise.all([run("workspace"), run("off")])).toEqual([works.join(""), works.join("")]);
	},
);

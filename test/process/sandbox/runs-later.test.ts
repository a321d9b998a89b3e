/** What a run leaves in a project that other programs run is named at its end. */
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runProgram, temporaryHome } from "../program.ts";
import { NO_SANDBOX } from "./no-sandbox.ts";

test.skipIf(NO_SANDBOX !== undefined)(
	"a run names what it has made that runs later, and is silent of all else",
	async () => {
		const home = temporaryHome();
		const cwd = join(home, "project");
		mkdirSync(cwd);
		spawnSync("git", ["init", "-q", cwd], { env: { PATH: process.env.PATH, HOME: home } });
		writeFileSync(join(cwd, "package.json"), "{}");
		mkdirSync(join(cwd, "template"));
		writeFileSync(join(cwd, "template/HEAD"), "ref: refs/heads/main\n");
		const run = (command: string, format: string) =>
			runProgram(["run", "-q", "--output-format", format, "--model", "shell", command], { home, cwd });
		const ordinary = await run(
			"echo hi > a; git add a; mkdir -p node_modules/x/.vscode; touch node_modules/x/.vscode/y",
			"text",
		);
		expect(ordinary.stderr).toBe("");
		const odd = `git init -q sub; mkdir moved; mv template moved/.git; mkdir -p d/.vscode; touch d/.vscode/tasks.json .envrc; echo '{"scripts":{"prepare":"x"}}' > package.json`;
		const { stdout, stderr } = await run(odd, "json");
		expect(JSON.parse(stdout).runs_later).toEqual([
			{ when: "shell", path: ".envrc" },
			{ when: "packages", path: "package.json", what: "prepare" },
			...["moved/.git", "sub/.git"].map((path) => ({ when: "git", path, what: "a new repository" })),
			{ when: "editor", path: "d/.vscode/tasks.json" },
		]);
		expect(stderr).toBe(
			[
				"changed files that run when you use:",
				"  git: moved/.git (a new repository), sub/.git (a new repository)",
				"  an editor or another agent: d/.vscode/tasks.json",
				"  a shell: .envrc",
				"  a package installation: package.json (prepare)\n",
			].join("\n"),
		);
	},
);

/** A sandbox that could be made when the run began, and cannot be made for a command: not at once, or not at all. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { findProgram } from "../../../src/processes/child-process.ts";
import { agentDirectory } from "../../../src/record/run-directory.ts";
import { startProgram, temporaryHome } from "../program.ts";
import { NO_SANDBOX, SKIPPED } from "./no-sandbox.ts";

const SCRIPT = `
agents:
  - task: go
    turns:
      - run: echo ran
      - say: done
`;

/** A run in which each file in `broken` keeps one command, of agents or of git, out of its sandbox. */
function withBreakable(model: string, task: string, { times = 100, options = [] as string[] } = {}) {
	const home = temporaryHome();
	const broken = join(home, "broken");
	const bwrap = `#!/bin/sh
case " $* " in *" --chdir "*) for token in "${broken}"/*; do
	rm "$token" 2>/dev/null && { echo "bwrap: Can't chdir to /x: No such file" >&2; exit 1; }
done ;; esac
exec ${findProgram("bwrap", process.env.PATH)} "$@"
`;
	writeFileSync(join(home, "bwrap"), bwrap, { mode: 0o755 });
	writeFileSync(join(home, "script.yaml"), SCRIPT);
	mkdirSync(broken);
	for (let n = 0; n < times; n++) writeFileSync(join(broken, String(n)), "");
	const env = { AGENTREE_SANDBOX: "", PATH: `${home}:${process.env.PATH}` };
	const line = ["run", "--model", model === "shell" ? model : `script:${home}/script.yaml`, ...options, task];
	return { broken, ...startProgram(line, { home, env }) };
}

const WHY = "the sandbox could not be made: bwrap: Can't chdir to /x: No such file";

describe.skipIf(NO_SANDBOX !== undefined)(`a sandbox that cannot be made${SKIPPED}`, () => {
	test("is no command that has run: what bwrap says is no answer", async () => {
		// Seen to fail: the words of bwrap were the answer, with the exit status 0.
		const { code, stdout, stderr } = await withBreakable("shell", "echo ran").ended;
		expect([code, stdout.toString()]).toEqual([1, ""]);
		expect(stderr.toString()).toContain(`the command was not run: ${WHY}\n`);
	});

	test("is made anew when a place has come or gone meanwhile: the command runs once, and nothing tells of it", async () => {
		// Seen to fail: the command was not run.
		const program = withBreakable("shell", "echo ran; ls -a", { times: 3 });
		const { code, stdout, stderr } = await program.ended;
		expect([code, stdout.toString()]).toEqual([0, expect.stringMatching(/^ran\n/)]);
		expect(stderr.toString()).not.toContain("bwrap");
		expect(readdirSync(program.broken)).toEqual([]);
		expect(program.events().filter(({ event }) => event === "command_started")).toHaveLength(1);
	});

	test("is made anew for git, too, which makes and removes the worktrees of agents", async () => {
		// Seen to fail: the run did not start, since its branch could not be made.
		const tree = temporaryHome();
		const git = (...args: string[]) =>
			execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.org", ...args], { cwd: tree });
		git("init", "-q", ".");
		git("commit", "-q", "--allow-empty", "-m", "first");
		const options = ["-C", tree, "--worktree"];
		const { code, stdout } = await withBreakable("shell", "git status -sb", { times: 3, options }).ended;
		expect([code, stdout.toString()]).toEqual([0, expect.stringMatching(/^## /)]);
		expect(git("worktree", "list").toString().trim().split("\n")).toHaveLength(1);
	});

	test("is told the model, and is in the log", async () => {
		const program = withBreakable("script", "go");
		expect((await program.ended).code).toBe(0);
		const transcript = readFileSync(
			join(agentDirectory(await program.runDirectory(), "1"), "transcript.jsonl"),
			"utf8",
		);
		expect(transcript).toContain(`"content":"[not started: ${WHY}]","is_error":true`);
		expect(program.events()).toContainEqual(
			expect.objectContaining({ event: "command_ended", command: 1, end: { by: "not_started", reason: WHY } }),
		);
	});
});

/** What a command leaves, or does in the background, while the sandbox of the next one is made. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { WAIT } from "../../wait.ts";
import { runProgram, startProgram, temporaryHome } from "../program.ts";
import { NO_SANDBOX, SKIPPED } from "./no-sandbox.ts";

/** Ten seconds at most, and it ends with its agent. */
const swaps = (name: string, to: string) =>
	`(end=$((SECONDS + 10)); while [ $SECONDS -lt $end ] && [ ! -e stop ]; do mv ${name} ${name}.aside && ln -s ${to} ${name}; rm -f ${name}; mv ${name}.aside ${name}; done) > /dev/null 2>&1 &`;

const SCRIPT = (home: string) => `
agents:
  - task: go
    turns:
      - run: |
          ln -s ${home}/victim link
          rm -rf .git/hooks; mv .git git.aside; ln -s ${home}/victim .git
          rm -rf given/inner; mv given given.aside; ln -s ${home}/victim given
          mv closed closed.aside; mkdir closed
          ${swaps("given", `${home}/victim`)}
          ${swaps("closed", `${home}/victim`)}
          ${swaps(".git", `${home}/victim`)}
          true
${[1, 2, 3, 4].map((n) => `      - run: |\n          echo ${n} > given/inner/from-a-command; echo ${n} > given/from-a-command; cat closed/deep/.env closed.aside/deep/.env`).join("\n")}
      - run: touch stop; echo "it is $(cat given/inner/from-a-command)"
      - say: done
`;

function outputsIn(home: string): string {
	const runs = join(home, "agentree/runs");
	const output = join(runs, readdirSync(runs)[0] ?? "", "1/out");
	const logs = readdirSync(output).sort();
	return logs.map((log) => readFileSync(join(output, log), "utf8")).join("");
}

describe.skipIf(NO_SANDBOX !== undefined)(`the sandbox of the next command${SKIPPED}`, () => {
	test("is where it was, whatever directories and links a command has put there, and puts there meanwhile", async () => {
		const home = temporaryHome();
		const project = join(home, "project");
		for (const each of ["victim/inner", "victim/deep", "project/given/inner", "project/closed/deep"])
			mkdirSync(join(home, each), { recursive: true });
		spawnSync("git", ["init", "-q", project], { env: { PATH: process.env.PATH, HOME: home } });
		writeFileSync(join(project, "closed/deep/.env"), "hidden-word");
		writeFileSync(join(home, "script.yaml"), SCRIPT(home));
		const options = ["--sandbox", "workspace", "--allow-write", "given/inner", "--deny-read", "closed/deep/.env"];
		const { exit, stdout, stderr } = await runProgram(
			["run", "-q", ...options, "--model", `script:${home}/script.yaml`, "go"],
			{ home, cwd: project },
		);
		expect([exit, stdout, stderr]).toEqual([0, "done\n", ""]);
		expect(readdirSync(join(home, "victim"), { recursive: true }).sort()).toEqual(["deep", "inner"]);
		expect(readFileSync(join(project, "given/inner/from-a-command"), "utf8")).toBe("4\n");
		const printed = outputsIn(home);
		expect([printed.includes("hidden-word"), printed.endsWith("it is 4\n")], printed).toEqual([false, true]);
		expect(existsSync(join(project, ".git/HEAD"))).toBe(true);
	});

	test("ends what one before it has left running, as the result of that one says", async () => {
		const home = temporaryHome();
		const left =
			"(trap 'touch ended; exit' TERM; touch up; while :; do sleep 0.05; done) >/dev/null 2>&1 & until [ -e up ]; do sleep 0.02; done";
		const turns = JSON.stringify(
			[left, "touch /tmp/.end-1-1", "until [ -e ended ]; do sleep 0.02; done"].map((run) => ({ run })),
		);
		const script = `agents: [{task: go, turns: ${turns.slice(0, -1)}, {say: done}]}]`;
		writeFileSync(join(home, "script.yaml"), script);
		const env = { AGENTREE_SANDBOX: "workspace" };
		const program = startProgram(["run", "-q", "--model", `script:${home}/script.yaml`, "go"], { home, env });
		expect((await program.ended).code).toBe(0);
		const transcript = readFileSync(join(await program.runDirectory(), "1/transcript.jsonl"), "utf8");
		expect(transcript).toMatch(/left running: .*; to end it: touch \/tmp\/\.end-1-1; /);
	});

	test("is made, whatever of it a person has removed or moved meanwhile", async () => {
		const home = temporaryHome();
		for (const each of ["project/a/b", ".ssh", "given"]) mkdirSync(join(home, each), { recursive: true });
		writeFileSync(join(home, ".netrc"), "secret");
		writeFileSync(join(home, "project/a/b/.env"), "secret");
		const turns = `[{run: 'touch began; until [ -e go-on ]; do sleep 0.02; done'}, {run: agent child}, {say: done}]`;
		const script = `agents: [{task: go, turns: ${turns}}, {task: child, turns: [{run: echo a}, {say: it ran}]}]`;
		writeFileSync(join(home, "script.yaml"), script);
		const options = ["--sandbox", "workspace", "--allow-write", join(home, "given"), "--deny-read", "a/b/.env"];
		const args = ["run", "-q", ...options, "--model", `script:${home}/script.yaml`, "go"];
		const program = startProgram(args, { home, cwd: join(home, "project") });
		await vi.waitFor(() => expect(existsSync(join(home, "project/began"))).toBe(true), WAIT);
		for (const each of [".netrc", ".ssh", "given", "project/a"]) rmSync(join(home, each), { recursive: true });
		writeFileSync(join(home, "project/go-on"), "");
		const { code, stdout, stderr } = await program.ended;
		expect([code, stdout.toString(), stderr.toString()]).toEqual([0, "done\n", ""]);
		expect(outputsIn(home)).toContain("it ran");
	});

	test("stands for a child, whatever its parent has put in the way of what is made for it", async () => {
		const home = temporaryHome();
		mkdirSync(join(home, "victim"));
		mkdirSync(join(home, "project"));
		const command = `
			cd "$AGENTREE_HOME"/runs/*/1; ln -s ${home}/victim 1; echo x > 2
			cd ${home}/run/agentree/*.pipes/1; ln -s ${home}/victim 1; echo x > 2; ln -s /nowhere 3
			cd ${home}/project; for n in 1 2 3 4; do agent "echo child $n; true"; done`;
		const { exit, stdout, stderr } = await runProgram(
			["run", "-q", "--sandbox", "workspace", "--model", "shell", command],
			{
				home,
				cwd: join(home, "project"),
			},
		);
		expect([exit, stdout, stderr]).toEqual([0, "child 1\nchild 2\nchild 3\nchild 4\n", ""]);
		expect(readdirSync(join(home, "victim"))).toEqual([]);
	});

	test("keeps of a project what another run there has needed, too, until the last one is over", async () => {
		const home = temporaryHome();
		const project = join(home, "project");
		spawnSync("git", ["init", "-q", project], { env: { PATH: process.env.PATH, HOME: home } });
		const tries = `ls -A; mkdir -p evil; rm -f .git/commondir; echo ../evil > .git/commondir; echo x > .git/config.worktree
			echo x > .vscode/tasks.json; mkdir .claude/commands; rmdir .idea; mv .agentree a; true`;
		// Seen to fail: with a state directory of its own, the first did not know of the second.
		const start = (task: string, env = {}) =>
			startProgram(["run", "-q", "--model", "shell", task], {
				home,
				cwd: project,
				env: { AGENTREE_SANDBOX: "workspace", ...env },
			});
		const others = { AGENTREE_HOME: join(home, "other"), XDG_RUNTIME_DIR: "" };
		const first = start("touch one; until [ -e go-on ]; do sleep 0.02; done", others);
		await vi.waitFor(() => expect(existsSync(join(project, "one"))).toBe(true), WAIT);
		const second = start(`touch two; until [ -e go-on ] && [ ! -e wait ]; do sleep 0.02; done; ${tries}`);
		await vi.waitFor(() => expect(existsSync(join(project, "two"))).toBe(true), WAIT);
		for (const name of ["wait", "go-on"]) writeFileSync(join(project, name), "");
		expect((await first.ended).code).toBe(0);
		expect(readFileSync(join(project, ".git/commondir"), "utf8")).toBe(".\n");
		rmSync(join(project, "wait"));
		const { code, stdout } = await second.ended;
		expect([code, stdout.toString().split("\n").slice(0, 3)]).toEqual([0, [".agentree", ".claude", ".cursor"]]);
		expect(readdirSync(project).sort()).toEqual([".git", "evil", "go-on", "one", "two"]);
		expect(["commondir", "config.worktree"].filter((name) => existsSync(join(project, ".git", name)))).toEqual([]);
	});

	// Seen to fail: a person's own went with the first run, and of a killed one all stayed.
	test("takes away what stood in a project for it alone, also after a run that was killed, and never a person's own", async () => {
		const home = temporaryHome();
		const project = join(home, "project");
		const git = (...args: string[]) =>
			spawnSync("git", args, { cwd: project, env: { PATH: process.env.PATH, HOME: home }, encoding: "utf8" }).stdout;
		spawnSync("git", ["init", "-q", project], { env: { PATH: process.env.PATH, HOME: home } });
		mkdirSync(join(project, ".idea"));
		const start = (task: string) =>
			startProgram(["run", "-q", "--sandbox", "workspace", "--model", "shell", task], { home, cwd: project });
		const kill = async (name: string) => {
			const killed = start(`touch ${name}; until [ -e go-on ]; do sleep 0.02; done`);
			await vi.waitFor(() => expect(existsSync(join(project, name))).toBe(true), WAIT);
			expect(git("status", "--porcelain", "--ignored")).toMatch(/^(\?\? \w+\n)+$/);
			killed.kill("SIGKILL");
			await killed.ended;
		};
		await kill("one");
		// Seen to fail: a next run without a sandbox, or in another directory, let them stand.
		await runProgram(["run", "-q", "--sandbox", "off", "--model", "shell", "true"], { home });
		expect(readdirSync(project).sort()).toEqual([".git", ".idea", "one"]);
		expect(existsSync(join(project, ".git/commondir"))).toBe(false);
		rmSync(join(project, "one"));
		await kill("one");
		const { code, stdout } = await start("ls -A; mkdir .idea/x; echo x > .claude/x").ended;
		const names = [".agentree", ".claude", ".cursor", ".git", ".idea", ".vscode", "one"];
		expect([code, stdout.toString().split("\n").slice(0, names.length)]).toEqual([0, names]);
		expect(readdirSync(project).sort()).toEqual([".git", ".idea", "one"]);
		expect(readdirSync(join(project, ".idea"))).toEqual([]);
	});

	// Seen to fail: all was taken away under what was left, which then wrote there.
	test("keeps it for what --keep-background has left, too, and it goes with the run's record", async () => {
		const home = temporaryHome();
		const project = join(home, "project");
		spawnSync("git", ["init", "-q", project], { env: { PATH: process.env.PATH, HOME: home } });
		const left = "until [ -e go-on ]; do sleep 0.02; done; echo x > .claude/x; mkdir .vscode/x; touch tried";
		const args = ["run", "-q", "--keep-background", "--sandbox", "workspace", "--model", "shell"];
		const { exit } = await runProgram([...args, `(${left}) > /dev/null 2>&1 &`], { home, cwd: project });
		writeFileSync(join(project, "go-on"), "");
		await vi.waitFor(() => expect(existsSync(join(project, "tried"))).toBe(true), WAIT);
		const found = [".claude", ".vscode"].map((name) => readdirSync(join(project, name)));
		expect([exit, ...found]).toEqual([0, [], []]);
		const [run = ""] = readdirSync(join(home, "agentree/runs"));
		const removed = () => runProgram(["rm", "--yes", run], { home }); // not before the last process is over
		await vi.waitFor(async () => expect((await removed()).exit).toBe(0), WAIT);
		expect(readdirSync(project).sort()).toEqual([".git", "go-on", "tried"]);
		expect(existsSync(join(project, ".git/commondir"))).toBe(false);
	});

	test.each(["workspace", "read-only"])("leaves a repository as it was when the run is over: %s", async (mode) => {
		const home = temporaryHome();
		const cwd = join(home, "project");
		spawnSync("git", ["init", "-q", cwd], { env: { PATH: process.env.PATH, HOME: home } });
		const before = readdirSync(join(cwd, ".git")).sort();
		const command = "cat .git/commondir; git rev-parse --is-inside-work-tree && git status -sb";
		const args = ["run", "-q", "--sandbox", mode, "--model", "shell", command];
		const { stdout } = await runProgram(args, { home, cwd });
		expect(stdout.split("\n").filter((line) => /^(\.|true)$/.test(line))).toEqual(
			mode === "workspace" ? [".", "true"] : ["true"],
		);
		expect(readdirSync(join(cwd, ".git")).sort()).toEqual(before);
	});

	// Seen to fail: bwrap made the file anew, and started no command where it could not.
	test("is made without what was hidden and has gone meanwhile", async () => {
		const home = temporaryHome();
		const project = join(home, "project");
		mkdirSync(project);
		writeFileSync(join(project, ".env"), "secret");
		const turns = ["touch one; until [ -e two ]; do sleep 0.02; done; cat .env", "cat .env; echo went on"];
		const script = [
			"agents:",
			"  - task: go",
			"    turns:",
			...turns.map((run) => `      - run: ${run}`),
			"      - say: done",
		];
		writeFileSync(join(home, "s.yaml"), script.join("\n"));
		const args = ["run", "-q", "--sandbox", "workspace", "--deny-read", ".env", "--model", "script:../s.yaml", "go"];
		const run = startProgram(args, { home, cwd: project });
		await vi.waitFor(() => expect(existsSync(join(project, "one"))).toBe(true), WAIT);
		rmSync(join(project, ".env"));
		writeFileSync(join(project, "two"), "");
		expect((await run.ended).code).toBe(0);
		expect([outputsIn(home).endsWith("went on\n"), existsSync(join(project, ".env"))]).toEqual([true, false]);
	});
});

/** What agents are told by files: the whole program, in a repository of its own. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { newestRuns, readAgentFile } from "../../../src/record/read-run.ts";
import { makeRepository } from "../../make-repository.ts";
import { runProgram, temporaryHome } from "../program.ts";
import { NO_SANDBOX } from "../sandbox/no-sandbox.ts";

/** A repository with these files. */
function repository(files: Record<string, string>): string {
	const root = realpathSync(mkdtempSync(join(tmpdir(), "agentree-repository-")));
	onTestFinished(() => rmSync(root, { recursive: true, force: true }));
	makeRepository(join(root, ".git"));
	for (const [name, text] of Object.entries(files)) {
		mkdirSync(dirname(join(root, name)), { recursive: true });
		writeFileSync(join(root, name), text);
	}
	return root;
}

function agentFile(home: string, agent = "1") {
	const [run] = newestRuns(join(home, "agentree"));
	return readAgentFile(run?.directory ?? "", agent);
}

const shell = (task: string, ...options: string[]) => ["run", "--model", "shell", ...options, task];

test("without --trust a project tells agents nothing, and one line on stderr says so; with it its files are in the prompt", async () => {
	const home = temporaryHome();
	const cwd = repository({ "AGENTS.md": "Rule of the root.\n@more.md", "more.md": "More." });
	const untrusted = await runProgram(shell("echo a"), { cwd, home });
	expect(untrusted).toMatchObject({ exit: 0, stdout: "a\n" });
	expect(untrusted.stderr).toBe(
		`agent: ${cwd}/AGENTS.md and 1 more file are not used, because you have not been asked about them: agent asks when started in a terminal; to use them: --trust (or AGENTREE_TRUST=1)\n`,
	);
	expect(agentFile(home).system).not.toContain("Rule of the root.");
	expect(await runProgram(shell("echo a", "-q"), { cwd, home })).toMatchObject({ stderr: "" });
	expect(await runProgram(shell("echo b", "--trust"), { cwd, home })).toMatchObject({ stdout: "b\n", stderr: "" });
	expect(agentFile(home).system).toContain(`<instructions file="${cwd}/AGENTS.md">\nRule of the root.\n@more.md\n</`);
	expect(agentFile(home).instructionFiles?.map(({ path }) => path)).toEqual([`${cwd}/AGENTS.md`, `${cwd}/more.md`]);
	expect(await runProgram(shell("echo c"), { cwd, home })).toMatchObject({ stdout: "c\n", stderr: "" }); // it is remembered
	expect(agentFile(home).system).toContain("Rule of the root.");
	writeFileSync(join(cwd, "more.md"), "Changed.");
	expect((await runProgram(shell("echo d"), { cwd, home })).stderr).toBe(
		`agent: ${cwd}/more.md is new or changed since you were asked, so this project's instruction files are not used: agent asks when started in a terminal; to use them: --trust (or AGENTREE_TRUST=1)\n`,
	);
	expect(agentFile(home).system).not.toContain("Rule of the root.");
	await runProgram(shell("echo b"), { cwd, home, env: { AGENTREE_TRUST: "1" } });
	expect(agentFile(home).system).toContain("Changed.");
});

test("the user's own instructions are told everywhere, and --no-instructions to nobody below", async () => {
	const home = temporaryHome();
	const cwd = join(home, "p");
	for (const name of [".config/agentree", "p"]) mkdirSync(join(home, name), { recursive: true });
	writeFileSync(join(home, ".config/agentree/AGENTS.md"), "My own rule.");
	const children = 'agent "true"; agent --no-instructions \'agent "true"\'';
	await runProgram(shell(children), { home, cwd });
	const has = (agent: string) => agentFile(home, agent).system.includes("My own rule.");
	expect(["1", "1.1", "1.2", "1.2.1"].map(has)).toEqual([true, true, false, false]);
	const plain = await runProgram(shell(children, "--no-instructions"), { home, cwd });
	expect(plain).toMatchObject({ exit: 0, stderr: "" });
	expect(["1", "1.1", "1.2.1"].map(has)).toEqual([false, false, false]);
	const bare = agentFile(home, "1").system;
	rmSync(join(home, ".config/agentree/AGENTS.md"));
	await runProgram(shell(children), { home, cwd });
	expect(agentFile(home, "1").system).toBe(bare);
});

test("a child is told the files of its own directory, and nothing of a repository that was made during the run", async () => {
	const home = temporaryHome();
	const cwd = repository({ "AGENTS.md": "Root.", "sub/AGENTS.md": "Sub.", "other/AGENTS.md": "Other." });
	const task = 'agent -C sub "true"; git init -q other; cd other; agent "true"; agent -C /proc/self "true"';
	const { exit, stderr } = await runProgram(shell(task, "--trust"), { cwd, home });
	const made = "changed files that run when you use:\n  git: other/.git (a new repository)\n";
	expect({ exit, stderr }).toEqual({ exit: 0, stderr: made });
	const told = ["1", "1.1", "1.2", "1.3"].map((agent) => agentFile(home, agent).instructionFiles?.length);
	expect(told).toEqual([1, 2, undefined, undefined]);
});

test("agents are told which skills there are, and where they are to be read", async () => {
	const home = temporaryHome();
	const cwd = repository({ ".agentree/skills/pdf/SKILL.md": "---\ndescription: Fill in forms\n---\nSecret way." });
	await runProgram(shell('agent "true"; agent --no-instructions "true"', "--trust"), { cwd, home });
	for (const agent of ["1", "1.1"]) {
		const { system } = agentFile(home, agent);
		expect(system).toContain(`\n- pdf: Fill in forms (${cwd}/.agentree/skills/pdf/SKILL.md)`);
		expect(system).not.toContain("Secret way.");
	}
	expect(agentFile(home, "1.2").system).not.toContain("pdf");
});

test.skipIf(NO_SANDBOX !== undefined)(
	"the user's own skills are read in a sandbox, too, and the rest of that directory is not",
	async () => {
		// Seen to fail: there was no such file, though the prompt names it.
		const home = temporaryHome();
		const own = join(home, ".config/agentree");
		mkdirSync(join(own, "skills/pdf"), { recursive: true });
		writeFileSync(join(own, "skills/pdf/SKILL.md"), "---\ndescription: Fill in forms\n---\nSecret way.");
		writeFileSync(join(own, "config.yaml"), "sandbox: { mode: workspace }\n");
		const read = `cat ${own}/skills/pdf/SKILL.md; ls ${own}`;
		const { stdout } = await runProgram(shell(`${read}; agent "${read}"`, "--sandbox", "workspace"), { home });
		expect(agentFile(home).system).toContain(`(${own}/skills/pdf/SKILL.md)`);
		const each = "---\ndescription: Fill in forms\n---\nSecret way.skills\n";
		expect(stdout).toBe(`${each}${each}`);
	},
);

test("a resumed agent keeps its instructions to the byte, whatever became of the file", async () => {
	const home = temporaryHome();
	const cwd = repository({ "AGENTS.md": "Before." });
	await runProgram(shell("exit 3", "--trust", "--max-turns", "1"), { cwd, home });
	const before = agentFile(home);
	expect(before.system).toContain("Before.");
	writeFileSync(join(cwd, "AGENTS.md"), "After.");
	const run = before.run;
	const again = await runProgram(["resume", "-q", run, 'agent "true"', "--max-turns", "1"], { cwd, home });
	expect(again.stderr).not.toContain("bug");
	expect(agentFile(home).system).toBe(before.system);
});

test("an agent cannot trust for a person", async () => {
	const { stdout } = await runProgram(shell('agent --trust "true" 2>&1; AGENTREE_TRUST=1 agent "true" 2>&1; true'));
	const refused = "agent: --trust works only when a run is started; this command starts a child agent inside a run\n";
	expect(stdout).toBe(refused + refused);
});

test("a FIFO, a device, a link, and a file of 10 GiB never hold a start up", async () => {
	const home = temporaryHome();
	const cwd = repository({ "a/b/x": "", "AGENTS.md": "x".repeat(100_000), "a/AGENTS.md": "@/dev/zero @b/fifo.md" });
	truncateSync(join(cwd, "AGENTS.md"), 10 * 1024 ** 3);
	execFileSync("mkfifo", [join(cwd, "a/b/AGENTS.md"), join(cwd, "a/b/fifo.md")]);
	const { exit, stderr } = await runProgram(shell("true", "--trust"), { cwd: join(cwd, "a/b"), home });
	expect(exit).toBe(0);
	expect(stderr.replaceAll(cwd, "ROOT").split("\n")).toEqual([
		"agent: ROOT/AGENTS.md is cut at 32 KiB",
		"agent: @/dev/zero in ROOT/a/AGENTS.md is not used: it leads outside the project",
		"agent: @b/fifo.md in ROOT/a/AGENTS.md is not used: it is not a regular file",
		"agent: ROOT/a/b/AGENTS.md is not used: it is not a regular file",
		"",
	]);
	expect(JSON.stringify(agentFile(home)).length).toBeLessThan(100_000);
});

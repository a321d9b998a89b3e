/** Who an agent is: roles of the program itself, of a project and of the user. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { newestRuns, readAgentFile } from "../../../src/record/read-run.ts";
import { makeRepository } from "../../make-repository.ts";
import { runProgram, temporaryHome } from "../program.ts";

const TESTER = "---\nname: tester\ndescription: Runs the tests\nmaxTurns: 3\nmax-depth: 9\ncolor: red\n---\nYou test.";

/** A home with a repository in it, in which these files are. */
function repository(files: Record<string, string>) {
	const home = temporaryHome();
	const cwd = join(home, "repo");
	makeRepository(join(cwd, ".git"));
	for (const [name, text] of Object.entries(files)) {
		mkdirSync(dirname(join(cwd, name)), { recursive: true });
		writeFileSync(join(cwd, name), text);
	}
	const agentFile = (agent = "1") => {
		for (const { directory } of newestRuns(join(home, "agentree"))) return readAgentFile(directory, agent);
		throw new Error("no run");
	};
	const run = (task: string, ...options: string[]) =>
		runProgram(["run", "--model", "shell", ...options, task], { home, cwd });
	return { home, cwd, agentFile, run };
}

test("a role of the project is used when that is trusted: its text, and its limits where they narrow", async () => {
	const { home, cwd, agentFile, run } = repository({ ".claude/agents/tester.md": TESTER });
	const untrusted = await run("true", "--role", "tester");
	expect(untrusted).toMatchObject({ exit: 2, stdout: "" });
	expect(untrusted.stderr).toContain(
		"agent: the role tester belongs to this project, which is not trusted; to use it: --trust",
	);
	const { exit, stderr } = await run("true", "--role", "tester", "--trust");
	expect({ exit, stderr }).toEqual({
		exit: 0,
		stderr: "agent: some settings of the role tester have no effect: unknown keys: color\n",
	});
	const file = agentFile();
	expect(file).toMatchObject({ role: "tester", roleFile: join(cwd, ".claude/agents/tester.md") });
	expect(file.limits).toMatchObject({ maxTurns: 3, maxDepth: 3 });
	expect(file.system).toContain("\n\nYour role is tester. If it mentions other tools, use bash instead.\n\nYou test.");
	expect(file.system).toContain("\n- tester: Runs the tests");
	const shown = await runProgram(["show", file.run], { home, cwd });
	expect(shown.stdout).toContain(`role    tester, from ${file.roleFile}; without effect: unknown keys: color`);
	const ps = await runProgram(["ps", file.run, "--json"], { home, cwd });
	expect(JSON.parse(ps.stdout)[0].agents[0].role).toBe("tester");
});

test("a child says its role by name, and the supervisor finds it; an unknown one is exit code 2", async () => {
	const { agentFile, run } = repository({ ".agentree/agents/tester.md": TESTER });
	const task =
		'agent --role tester "true"; agent --role explore --max-turns 9 \'agent "true"\'; agent --role exlore "true" 2>&1; echo "code $?"';
	const { stdout, exit } = await run(task, "--trust");
	expect({ stdout, exit }).toEqual({
		stdout: 'agent: unknown role "exlore"; known: tester, explore, plan, code; did you mean explore?\ncode 2\n',
		exit: 0,
	});
	expect(agentFile("1.1")).toMatchObject({ role: "tester", limits: { maxTurns: 3, maxDepth: 2 } });
	expect(agentFile("1.2")).toMatchObject({ role: "explore", limits: { maxTurns: 9 } });
	expect(agentFile("1.2").system).toContain("Your role is explore.\n\nYou explore:");
	expect(agentFile("1.2.1").role).toBeUndefined(); // it is somebody else
	expect(agentFile("1.1").limits.maxAgents).toBe(64);
});

test("a role needs no instructions, and a resumed agent keeps its own", async () => {
	const { home, cwd, agentFile, run } = repository({ "AGENTS.md": "Rule.", ".agentree/agents/tester.md": TESTER });
	await run("exit 3", "--trust", "--no-instructions", "--role", "tester");
	const before = agentFile();
	expect(before.system).toContain("You test.");
	expect(before.system).not.toContain("Rule.");
	expect(before.system).not.toContain("- tester:");
	writeFileSync(join(cwd, ".agentree/agents/tester.md"), TESTER.replace("You test.", "You rest."));
	const again = await runProgram(["resume", before.run, "true"], { home, cwd });
	expect(again).toMatchObject({ exit: 0, stdout: "" }); // it is the next command of the model shell
	expect(agentFile()).toMatchObject({ role: "tester", system: before.system });
});

test("what makes no role never breaks a start", async () => {
	const { run } = repository({
		...{ ".claude/agents/a.md": "---\nname: ../../../etc/x\n---\n", ".claude/agents/b.md": "---\nname: b\n" },
		".claude/agents/c.md": `---\nname: c\ndescription: ${"x".repeat(10_000_000)}\n---\n`,
		".claude/agents/d.md": `---\na: &a [${"*a, ".repeat(5_000)}]\n---\n`,
	});
	const { exit, stdout, stderr } = await run("echo fine", "--trust");
	expect({ exit, stdout }).toEqual({ exit: 0, stdout: "fine\n" });
	expect(stderr.split("\n").map((line) => line.replace(/^.*\/agents\//, ""))).toEqual([
		'a.md is not a role: "../../../etc/x" is not a valid name for a role',
		...["b.md is not a role: its front matter is not closed", "c.md is not a role: its front matter is not closed"],
		"d.md is not a role: it has no front matter with a name or a description",
		"",
	]);
});

// Seen to fail: a role of a project gave its agents whatever model it named.
test("a child has the model of its role where that costs no more than its parent's; else its parent's, which is told", async () => {
	const role = (name: string, model: string) => `---\nname: ${name}\ndescription: d\nmodel: ${model}\n---\nYou are it.`;
	const script = `agents:
  - task: outer
    turns: [{ run: 'agent --role dear inner; agent --role cheap -m shell true; agent --role cheap true' }, { say: done }]
  - task: inner
    turns: [{ say: inner }]
`;
	const { home, cwd, agentFile } = repository({
		...{ ".agentree/agents/dear.md": role("dear", "opus"), ".agentree/agents/cheap.md": role("cheap", "shell") },
		"s.yaml": script,
	});
	const { exit } = await runProgram(["run", "-m", "script:s.yaml", "--trust", "outer"], { home, cwd });
	expect(exit).toBe(0);
	const models = ["1.1", "1.2", "1.3"].map((agent) => agentFile(agent).model);
	expect(models).toEqual([`script:${cwd}/s.yaml`, "shell", "shell"]);
	expect(agentFile("1.1").roleNotices).toEqual([
		`model (opus): it costs more than script:${cwd}/s.yaml, the model of the agent above`,
	]);
	expect(agentFile("1.2").roleNotices).toBeUndefined();
	const shown = await runProgram(["show", `${agentFile("1.1").run}/1.1`], { home, cwd });
	expect(shown.stdout).toContain("; without effect: model (opus): it costs more than ");
});

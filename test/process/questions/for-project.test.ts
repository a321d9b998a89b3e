/** A yes for a project: written into the user's own file, and read by every later run in that project. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runProgram, startProgram, temporaryHome } from "../program.ts";
import { type AskingRun, asking } from "./asking-run.ts";

function projectIn(home: string, name: string): string {
	const project = join(home, name);
	mkdirSync(join(project, "sub"), { recursive: true });
	execFileSync("git", ["init", "-q", project]);
	return project;
}

const start = (home: string, cwd: string, command: string): AskingRun =>
	asking(startProgram(["run", "-m", "shell", "--ask", "always", "--ask-wait", command], { home, cwd }));

test("it is shown before, written where no agent's sandbox lets it look, and no run there asks again", async () => {
	const home = temporaryHome();
	const [project, other] = [projectIn(home, "p"), projectIn(home, "q")];
	const file = join(home, ".config/agentree/grants.jsonl");
	const first = start(home, project, "touch one");
	await first.asked();
	const shown = await runProgram(["questions"], { home });
	expect(shown.stdout).toContain(`project (the same for all runs in ${project})`);
	expect(existsSync(file)).toBe(false);
	expect(await first.answer("1", "project")).toMatchObject({
		exit: 0,
		stdout: expect.stringContaining(`: yes, and always Bash(touch *) in all runs in ${project}\n`),
	});
	await first.ended;
	expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ project, rule: "Bash(touch *)" });
	expect(statSync(file).mode & 0o777).toBe(0o600);
	expect((await start(home, join(project, "sub"), "touch two").ended).code).toBe(0);
	expect(existsSync(join(project, "sub/two"))).toBe(true);
	const elsewhere = start(home, other, "touch three");
	await elsewhere.asked();
	await elsewhere.answer("1", "no");
	const told = await runProgram(["doctor"], { home, cwd: project });
	expect(told.stdout.replaceAll(/\s+/g, " ")).toContain(`Bash(touch *) allowed in ${project}, by lines of ${file}`);
});

test("of answers in several runs at once none is lost, and one that cannot be written leaves its question open", async () => {
	const shared = temporaryHome();
	const project = projectIn(shared, "p");
	const file = join(shared, "agentree/grants.jsonl");
	const env = { XDG_CONFIG_HOME: shared };
	const args = ["run", "-m", "shell", "--ask", "always", "--ask-wait"];
	const commands = ["touch a", "mkdir b", "cp a c"];
	const runs = commands.map((command) =>
		asking(startProgram([...args, command], { home: temporaryHome(), cwd: project, env })),
	);
	await Promise.all(runs.map((run) => run.asked()));
	mkdirSync(file, { recursive: true });
	expect(await runs[0]?.answer("1", "project")).toMatchObject({
		exit: 4,
		stderr: expect.stringMatching(/cannot write .*grants\.jsonl.*; not answered. To allow it for this run: always/),
	});
	rmdirSync(file);
	const taken = await Promise.all(runs.map((run) => run.answer("1", "project")));
	expect(taken.map(({ exit }) => exit)).toEqual([0, 0, 0]);
	const lines = readFileSync(file, "utf8").trim().split("\n");
	const rules = lines.map((line) => (JSON.parse(line) as { rule: string }).rule);
	expect(rules.sort()).toEqual(["Bash(cp a c)", "Bash(mkdir *)", "Bash(touch *)"]);
});

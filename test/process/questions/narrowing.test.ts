/** A child, and a role, have more asked about and denied, at any depth, and never less. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runProgram, startProgram, temporaryHome } from "../program.ts";
import { asking } from "./asking-run.ts";

const shell = (home: string, command: string, ...options: string[]) =>
	runProgram(["run", "-m", "shell", ...options, command], { home });

test("what a child is denied binds all below it, and not its parent", async () => {
	const home = temporaryHome();
	const below = "agent \"agent 'touch c'; touch b\"";
	const { stdout, stderr } = await shell(home, `agent --deny 'Bash(touch *)' ${JSON.stringify(below)} 2>&1; touch a`);
	expect(`${stdout}${stderr}`).toContain("the rule Bash(touch *) of what the agent was started with denies touch b");
	expect(["a", "b", "c"].map((name) => existsSync(join(home, name)))).toEqual([true, false, false]);
});

test("a child is asked about where its parent is not, and one that is to be asked about less is refused", async () => {
	const home = temporaryHome();
	const run = asking(
		startProgram(["run", "-m", "shell", "--ask-wait", "touch a; agent --ask always 'touch b'"], { home }),
	);
	const [question] = await run.asked();
	expect(question).toMatchObject({ agent: "1.1", what: { command: "touch b" } });
	expect(existsSync(join(home, "a"))).toBe(true);
	await run.answer("1", "no", "not now");
	await run.ended;
	expect(existsSync(join(home, "b"))).toBe(false);
	const wider = await shell(home, "agent --ask edge true 2>&1; agent --allow ls true 2>&1; agent --ask-wait true 2>&1");
	expect(wider.stdout).toContain("--ask edge: the agent above asks before no command");
	expect(wider.stdout).toContain("--allow works only when you start a run");
	expect(wider.stdout).toContain("--ask-wait applies to the whole run");
});

test("a role narrows the agents that have it, as the root and as a child", async () => {
	const home = temporaryHome();
	mkdirSync(join(home, ".config/agentree/agents"), { recursive: true });
	const role =
		"---\nname: careful\ndescription: x\nask: always\ndeny: [Bash(touch a *)]\nask-for:\n  - ls\n---\nBe careful.\n";
	writeFileSync(join(home, ".config/agentree/agents/careful.md"), role);
	const asRoot = await shell(home, "touch b", "--role", "careful");
	expect(asRoot.stderr).toContain("no rule allows touch b");
	const asChild = await shell(home, "touch a; agent --role careful 'touch a x' 2>&1; agent --role careful 'ls .' 2>&1");
	expect(asChild.stdout).toContain("the rule Bash(touch a *) of what the agent was started with denies touch a x");
	expect(asChild.stdout).toContain("the rule ls of what the agent was started with");
	expect(existsSync(join(home, "a"))).toBe(true);
	writeFileSync(join(home, ".config/agentree/agents/careful.md"), role.replace("always", "sometimes"));
	expect((await shell(home, "true", "--role", "careful")).stderr).toContain("ask must be never, edge, always");
});

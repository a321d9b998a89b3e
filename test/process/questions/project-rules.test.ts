/** The rules of a project's own file count once the project is trusted, and only ask and deny. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runProgram, temporaryHome } from "../program.ts";

function projectWith(text: string) {
	const home = temporaryHome();
	const cwd = join(home, "p");
	mkdirSync(join(cwd, ".agentree"), { recursive: true });
	execFileSync("git", ["init", "-q", cwd]);
	const write = (written: string) => writeFileSync(join(cwd, ".agentree/config.yaml"), written);
	write(text);
	const run = (command: string, ...options: string[]) =>
		runProgram(["run", "-m", "shell", ...options, command], { home, cwd });
	return { write, run, has: (name: string) => existsSync(join(cwd, name)) };
}

const DENYING = "permissions:\n  deny: [touch a]\n  ask: [touch b]\n  allow: [git push]\n";

test("untrusted they are not used, and that is said; trusted they hold, until they change", async () => {
	const { write, run, has } = projectWith(DENYING);
	expect((await run("touch a")).stderr).toMatch(
		/config\.yaml is not used, because you have not been asked about it: agent asks when started in a terminal; to use them: --trust/,
	);
	expect(has("a")).toBe(true);
	const trusted = await run("touch a", "--trust");
	expect(trusted.stderr).toContain("its allow rules are ignored: a project can only ask and deny");
	expect(trusted.stderr).toContain("the rule touch a of this project denies touch a");
	expect((await run("touch b")).stderr).toContain(
		"(the rule touch b of this project), but nobody can be asked in this run",
	);
	expect(has("b")).toBe(false);
	expect((await run("git push")).stderr).toContain('the built-in rule "git push"');
	expect((await run("touch b", "--allow", "touch b")).exit).toBe(0);
	expect((await run("touch a", "--allow", "touch a", "--no-instructions")).stderr).toContain("of this project denies");
	write("permissions: {}\n");
	expect((await run("touch a")).stderr).toContain("new or changed since you were asked");
});

test("what is wrong in a trusted one keeps a run from starting, with the place", async () => {
	const { run, has } = projectWith("permissions:\n  deny: ['Read(x)']\n");
	expect((await run("touch a", "-q")).exit).toBe(0);
	expect(await run("touch b", "--trust")).toMatchObject({
		stderr: expect.stringMatching(/config\.yaml:2:10: the rule Read\(x\) is about another tool/),
	});
	expect([has("a"), has("b")]).toEqual([true, false]);
});

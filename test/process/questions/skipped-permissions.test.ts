/** `--dangerously-skip-permissions`: no sandbox, no questions; what rules deny is denied all the same. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readRunFile } from "../../../src/record/read-run.ts";
import { runProgram, startProgram, temporaryHome } from "../program.ts";

const SKIP = "--dangerously-skip-permissions";
const LINE = `agent: ${SKIP}: no sandbox and no questions, agents can do anything you can\n`;

test("nothing is asked, no sandbox is there, one line says so, and the record has it", async () => {
	const home = temporaryHome();
	const run = startProgram(["run", "-q", "-m", "shell", SKIP, "git push; rm -rf /no-such/of-agentree; touch done"], {
		home,
		env: { AGENTREE_SANDBOX: "required", AGENTREE_ASK: "always" },
	});
	const { stderr, stdout } = await run.ended;
	expect(stderr.toString()).toBe(LINE);
	expect(stdout.toString()).toContain("not a git repository");
	expect(existsSync(join(home, "done"))).toBe(true);
	const directory = await run.runDirectory();
	expect(readRunFile(directory)).toMatchObject({ skipsPermissions: true });
	const joined = run.events().find(({ event }) => event === "agent_joined");
	expect(run.events()[0]).toMatchObject({ event: "run_started", skipsPermissions: true });
	expect(joined).not.toHaveProperty("sandbox");
	const [name = ""] = directory.split("/").slice(-1);
	await runProgram(["resume", name, "again", "--sandbox", "off"], { home });
	expect(run.events().find(({ event }) => event === "run_resumed")).not.toHaveProperty("skipsPermissions");
	expect(readRunFile(directory)).not.toHaveProperty("skipsPermissions");
});

test("rules that deny hold, those that ask do not", async () => {
	const home = temporaryHome();
	mkdirSync(join(home, ".config/agentree"), { recursive: true });
	writeFileSync(join(home, ".config/agentree/config.yaml"), "permissions: { ask: [touch asked], deny: [touch a] }\n");
	const options = ["run", "-m", "shell", SKIP, "--deny", "touch b"];
	const run = (command: string) => runProgram([...options, command], { home });
	expect((await run("touch a")).stderr).toContain("the rule touch a of your configuration denies touch a");
	expect((await run("touch b")).stderr).toContain("the rule touch b of the command line denies touch b");
	await run("touch asked");
	expect(["a", "b", "asked"].map((name) => existsSync(join(home, name)))).toEqual([false, false, true]);
});

test("an explicit sandbox or mode contradicts it, and an agent cannot use it", async () => {
	const home = temporaryHome();
	expect(await runProgram(["run", "-m", "shell", SKIP, "--sandbox", "off", "true"], { home })).toMatchObject({
		exit: 2,
		stderr: expect.stringContaining("--sandbox contradict each other"),
	});
	const inside = `agent ${SKIP} 'true' 2>&1; agent resume 1.1 x ${SKIP} 2>&1; agent run ${SKIP} true 2>&1`;
	const { stdout } = await runProgram(["run", "-m", "shell", inside], { home });
	const refusal = `agent: ${SKIP} works only when you start a run, not inside one`;
	expect(stdout.split("\n").filter((line) => line === refusal)).toHaveLength(3);
});

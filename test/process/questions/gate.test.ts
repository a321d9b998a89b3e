/**
 * Rules, and a person, decide whether a command of an agent runs; what is refused is said not to have been done. What deletes outside the
 * work tree is tried without a sandbox, because in one it deletes nothing there and is not asked about.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runProgram, startProgram, temporaryHome } from "../program.ts";
import { type AskingRun, asking } from "./asking-run.ts";

/** A run whose root's turns are the commands, one a turn; then it says what the last one printed. */
function startCommands(commands: readonly string[], options: readonly string[], home = temporaryHome()): AskingRun {
	const turns = [...commands.map((run) => `      - run: ${JSON.stringify(run)}`), '      - say: "{{output}}"'];
	writeFileSync(join(home, "s.yaml"), `agents:\n  - task: outer\n    turns:\n${turns.join("\n")}\n`);
	return asking(startProgram(["run", "-m", "script:s.yaml", ...options, "outer"], { home }));
}

const has = (run: AskingRun, name: string) => existsSync(join(run.home, name));

test("headless nobody is asked: what a rule asks about is not done, and the words say so", async () => {
	const run = startCommands(["touch a; git push; touch b"], ["--ask", "edge"]);
	const printed = await run.printed();
	expect(printed).toMatch(
		/^Not run: a person must allow it \(the built-in rule "git push"\), but nobody can be asked in this run; whoever starts the run can allow it with --allow 'Bash\(git push \*\)', or start the run with --ask-wait to be asked\n/,
	);
	expect(printed).toContain("None of it was done: do not claim that it was");
	expect([has(run, "a"), has(run, "b")]).toEqual([false, false]);
});

test("a rule that denies is never asked about, one that allows needs no question, and all else runs at the edge", async () => {
	const options = ["--ask", "edge", "--ask-wait", "--deny", "touch no", "--deny", "Bash(rm *)", "--allow", "git push"];
	const run = startCommands(["touch yes", "echo; timeout 5 touch no", "eval $X", "git push 2>&1"], options);
	await run.asked(); // what cannot be read may be what is denied
	expect(run.events().find(({ event }) => event === "question_asked")).toMatchObject({
		what: { is: "command", command: "eval $X", because: expect.stringContaining("of the command line") },
	});
	await run.answer("1", "allow");
	expect(await run.printed()).toContain("not a git repository");
	expect([has(run, "yes"), has(run, "no")]).toEqual([true, false]);
});

test("always asks before each command, and a person's answers run it, refuse it, and allow all like it", async () => {
	const run = startCommands(
		[
			"ls",
			"touch one",
			"touch two",
			"npm run x --if-present -h > /dev/null 2>&1; echo ran",
			"npm run x -h; echo again",
			"touch three",
		],
		["--ask", "always", "--ask-wait"],
	);
	const [first] = await run.asked(1);
	expect(first).toMatchObject({
		question: 1,
		what: { command: "touch one", directory: run.home, rule: "Bash(touch *)" },
	});
	expect((await runProgram(["questions"], { home: run.home })).stdout).toContain(
		"run touch one? (no rule allows touch one)\n",
	);
	expect(await run.answer("1", "blue")).toMatchObject({ exit: 4 });
	await run.answer("1", "no", "not that one");
	await run.asked(2);
	await run.answer("2", "allow");
	const [, , third] = await run.asked(3);
	expect(third).toMatchObject({ what: { rule: "Bash(npm run x *)" } });
	await run.answer("3", "always");
	await run.asked(4);
	expect(run.events().filter(({ event }) => event === "grant_given")).toMatchObject([
		{ agent: "1", rule: "Bash(npm run x *)" },
	]);
	await run.answer("4", "stop", "enough");
	expect((await run.ended).code).toBe(143);
	expect(["one", "two", "three"].map((name) => has(run, name))).toEqual([false, true, false]);
	const shown = (await runProgram(["show", "1"], { home: run.home })).stdout;
	expect(shown).toMatch(/Not run: the person said no: not that one\n +None of it was done/);
});

test("a grant binds the agent that asked and all below it, never its siblings or its parent", async () => {
	const home = temporaryHome();
	const script = `
agents:
  - task: outer
    turns:
      - run: agent one & wait; agent two
      - run: touch parent
      - say: "end"
  - task: one
    turns:
      - run: touch one
      - run: touch one-again; agent below
      - say: "one"
  - task: below
    turns:
      - run: touch below
      - say: "below"
  - task: two
    turns:
      - run: touch two
      - say: "two"
`;
	writeFileSync(join(home, "s.yaml"), script);
	const options = ["--ask", "always", "--ask-wait", "--allow", "agent *", "--allow", "wait"];
	const run = asking(startProgram(["run", "-m", "script:s.yaml", ...options, "outer"], { home }));
	await run.asked();
	await run.answer("1", "always");
	await run.asked(2);
	await run.answer("2", "allow");
	await run.asked(3);
	await run.answer("3", "allow");
	expect(await run.printed()).toBe("end\n");
	const asked = await run.asked(3);
	expect(asked.map(({ agent, what }) => [agent, what.is === "command" && what.command])).toEqual([
		["1.1", "touch one"],
		["1.2", "touch two"],
		["1", "touch parent"],
	]);
});

test("the rules of the user's configuration count, and a wrong one says where it stands", async () => {
	const home = temporaryHome();
	mkdirSync(join(home, ".config/agentree"), { recursive: true });
	const config = join(home, ".config/agentree/config.yaml");
	writeFileSync(config, 'permissions:\n  deny: ["Bash(touch *)"]\n');
	const run = startCommands(["touch a"], [], home);
	expect(await run.printed()).toContain("the rule Bash(touch *) of your configuration denies touch a");
	expect(has(run, "a")).toBe(false);
	writeFileSync(config, 'permissions:\n  deny:\n    - "Read(x)"\n');
	expect(await runProgram(["run", "-m", "shell", "ls"], { home })).toMatchObject({
		exit: 2,
		stderr: expect.stringMatching(/config\.yaml:3:7: the rule Read\(x\) is about another tool/),
	});
	expect(await runProgram(["run", "-m", "shell", "--deny", "Bash(x", "ls"], { home })).toMatchObject({ exit: 2 });
	expect(readFileSync(config, "utf8")).toContain("Read(x)");
});

test("deleting outside of the work tree is asked about, inside it is not", async () => {
	const home = temporaryHome();
	writeFileSync(join(home, "in"), "");
	const commands = ["rm in", "rm -rf /no-such-directory/of-agentree"];
	const run = startCommands(commands, ["--ask", "edge", "--sandbox", "off"], home);
	expect(await run.printed()).toContain("it deletes outside the work tree: /no-such-directory/of-agentree");
	expect(has(run, "in")).toBe(false);
});

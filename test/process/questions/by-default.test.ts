/** What is asked about without an option: on a screen what others would see and what rules name, headless nothing. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { hasTmux, openTerminal } from "../../fixtures/terminal.ts";
import { AGENT_PROGRAM, runProgram, temporaryHome } from "../program.ts";

test.skipIf(!hasTmux())("agent tree asks, and the answer lets it run (needs tmux)", async () => {
	const home = temporaryHome();
	mkdirSync(join(home, ".config/agentree"), { recursive: true });
	writeFileSync(join(home, ".config/agentree/config.yaml"), "permissions: { ask: [touch asked] }\n");
	const terminal = openTerminal(home);
	const places = `HOME=${home} AGENTREE_HOME=${home}/agentree XDG_RUNTIME_DIR=${home}/run AGENTREE_SANDBOX=off`;
	const program = `${process.execPath} ${AGENT_PROGRAM}`;
	terminal.type(`cd ${home}; export ${places}; clear; ${program} tree -m shell 'touch asked; git push'`);
	await terminal.shows(/ \? question 1 {2}1 /);
	const asked = await runProgram(["questions", "--json"], { home });
	expect(JSON.parse(asked.stdout)).toMatchObject([{ because: "the rule touch asked of your configuration" }]);
	await runProgram(["answer", "1", "allow"], { home });
	await terminal.shows(/not a git repository/);
});

test("headless nothing waits: it is refused at once, and said not to have been done", async () => {
	const home = temporaryHome();
	for (const format of ["text", "json"])
		expect(await runProgram(["run", "-m", "shell", "--output-format", format, "git push"], { home })).toMatchObject({
			exit: 1,
			stderr: expect.stringMatching(
				/the command was not run: a person must allow it \(the built-in rule \\?"git push\\?"\), but nobody can be asked in this run; whoever starts the run can allow it with --allow 'Bash\(git push \*\)', or start the run with --ask-wait to be asked("|\n)/,
			),
		});
	const allowed = await runProgram(["run", "-m", "shell", "--allow", "git push", "git push"], { home });
	expect(allowed.stdout).toContain("not a git repository");
	writeFileSync(join(home, "c.yaml"), "ask: always\n");
	const always = await runProgram(["run", "-m", "shell", "touch x"], {
		home,
		env: { AGENTREE_CONFIG: join(home, "c.yaml") },
	});
	expect(always.stderr).toContain("no rule allows touch x");
	writeFileSync(join(home, "c.yaml"), "ask: sometimes\n");
	expect(
		await runProgram(["run", "-m", "shell", "ls"], { home, env: { AGENTREE_CONFIG: join(home, "c.yaml") } }),
	).toMatchObject({
		stderr: expect.stringContaining("c.yaml:1:6: one of never, edge, always is expected"),
	});
});

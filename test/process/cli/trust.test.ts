/** The question whether a project's files are used, at a real terminal. */
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { newestRuns, readAgentFile } from "../../../src/record/read-run.ts";
import { hasTmux, openTerminal } from "../../fixtures/terminal.ts";
import { makeRepository } from "../../make-repository.ts";
import { AGENT_PROGRAM, temporaryHome } from "../program.ts";

/** A shell in a repository with an AGENTS.md. */
function openRepository() {
	const home = temporaryHome();
	const cwd = join(home, "repo");
	makeRepository(join(cwd, ".git"));
	const write = (name: string, text: string) => writeFileSync(join(cwd, name), text);
	write("AGENTS.md", "First rule.\n");
	const terminal = openTerminal(home);
	terminal.resize(180, 40);
	terminal.type(
		`cd ${cwd}; export HOME=${home} AGENTREE_HOME=${home}/agentree XDG_RUNTIME_DIR=${home}/run; agent() { ${process.execPath} ${AGENT_PROGRAM} "$@"; echo "code $?"; }; clear`,
	);
	const system = () => {
		for (const { directory } of newestRuns(join(home, "agentree"))) return readAgentFile(directory, "1").system;
		return undefined;
	};
	return { home, cwd, terminal, write, system };
}

describe.skipIf(!hasTmux())("at a terminal (needs tmux)", () => {
	test("a project is asked about once, and again when a file is new or has changed", async () => {
		const { terminal, write, system, home } = openRepository();
		terminal.type("agent run --model shell 'echo one'");
		await terminal.shows(/repo contains instructions for agents/);
		await terminal.shows(/AGENTS\.md {2}12 bytes +instructions\nUse them\?/);
		expect(system()).toBeUndefined(); // nothing has started yet
		terminal.press("v");
		await terminal.shows(/AGENTS\.md \(12 bytes, the whole\):\n {2}\| First rule\./);
		terminal.press("y");
		await terminal.shows(/Esc not now {2}y\n[\s\S]*\none\n[\s\S]*code 0/);
		expect(system()).toContain("First rule.");
		expect(readdirSync(join(home, "agentree/trust"))).toHaveLength(1);
		terminal.type("clear; agent run --model shell 'echo two'");
		await terminal.shows(/^two\n[\s\S]*code 0/m);
		await terminal.showsNo(/Use them/);
		write("AGENTS.md", "Second rule.\n");
		write("more.md", "More.");
		write("AGENTS.md", "Second rule. @more.md\n");
		terminal.type("clear; agent run --model shell 'echo three'");
		await terminal.shows(
			/have changed:\n {2}changed +AGENTS\.md .*\n {2}new +more\.md .*imported by AGENTS\.md\nUse them\?/,
		);
		write("AGENTS.md", "Changed while it was asked.\n");
		terminal.press("y");
		await terminal.shows(/\nthree\n[\s\S]*code 0/);
		expect(system()).toContain("Second rule.");
		expect(system()).not.toContain("Changed while");
	});

	test("a no is remembered, --trust goes before it, and Ctrl-C starts nothing", async () => {
		const { terminal, system, home } = openRepository();
		terminal.type("agent run --model shell 'echo one'");
		await terminal.shows(/Use them\?/);
		terminal.press("C-c");
		await terminal.shows(/\^C\n.*[#$]$/);
		terminal.type('echo "code $?"');
		await terminal.shows(/\ncode 130/);
		expect(system()).toBeUndefined();
		terminal.type("clear; agent run --model shell 'echo one'");
		await terminal.shows(/Use them\?/);
		terminal.press("n");
		await terminal.shows(/will not be asked again until they change[\s\S]*\none\n[\s\S]*code 0/);
		terminal.type("clear; agent run --model shell 'echo two'");
		await terminal.shows(/not used, as you answered before[\s\S]*\ntwo\n[\s\S]*code 0/);
		expect(system()).not.toContain("First rule.");
		terminal.type("clear; agent run --trust --model shell 'echo three'");
		await terminal.shows(/^three\n[\s\S]*code 0/m);
		expect(system()).toContain("First rule.");
		expect(readdirSync(join(home, "agentree/trust"))).toHaveLength(1);
	});

	test("Ctrl-Z suspends the question, fg asks again, and Esc is an answer for this time alone", async () => {
		const { terminal, home } = openRepository();
		terminal.type("agent run --model shell 'echo one'");
		await terminal.shows(/Use them\?/);
		terminal.press("C-z");
		await terminal.shows(/Stopped/);
		await terminal.isRestored();
		terminal.type("clear; fg");
		await terminal.shows(/Use them\?[^\n]*$/);
		terminal.press("Escape");
		await terminal.shows(/not used, because you have not answered[\s\S]*\none\n/);
		await terminal.isRestored();
		expect(readdirSync(join(home, "agentree"))).not.toContain("trust");
	});

	test("on a narrow terminal the question is broken between words, as all that is said about it", async () => {
		const { terminal } = openRepository();
		terminal.resize(46, 30);
		terminal.type(`until [ "$(stty size)" = "30 46" ]; do sleep 0.05; done; clear; agent run --model shell 'echo one'`);
		await terminal.shows(/\nUse them\? {2}y yes, until they change · n no\n {2}· v view · Esc not now$/);
		await terminal.shows(/^Agents run commands, so use these files only\s+if you trust their authors:$/m);
		terminal.press("n");
		await terminal.shows(/Esc not now {2}n\n/);
	});

	test("a job in the background is not stopped by the question", async () => {
		const { terminal, system } = openRepository();
		terminal.type("agent run --model shell 'echo one' & wait");
		await terminal.shows(/not used, because\s+you have not been asked[\s\S]*\none\n[\s\S]*code 0/);
		expect(system()).not.toContain("First rule.");
	});

	test("the dashboard comes up behind the answer", async () => {
		const { terminal, system } = openRepository();
		terminal.type("agent tree --model shell 'until [ -e go ]; do sleep 0.05; done; echo done'");
		await terminal.shows(/Use them\?/);
		terminal.press("y");
		await terminal.shows(/● 1 /);
		expect(system()).toContain("First rule.");
	});
});

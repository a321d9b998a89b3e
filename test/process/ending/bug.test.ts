/** A bug of ours, wherever it is: its stack is in a file of the run, one line says so, and nothing is left behind. */
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { hasEnded, procTable } from "../../../src/processes/table/process-table.ts";
import { listRuns, readRunFile } from "../../../src/record/read-run.ts";
import { runDirectory } from "../../../src/record/run-directory.ts";
import { hasTmux, openTerminal } from "../../fixtures/terminal.ts";
import { AGENT_PROGRAM, type Program, runProgram, startProgram, temporaryHome } from "../program.ts";
import { IS_SANDBOXED } from "../sandboxed.ts";

const HOOK = fileURLToPath(new URL("../../fixtures/plant-bug.cjs", import.meta.url));
const REASON = "a bug in agentree: TypeError: a planted bug";

type How = "timer" | "rejection" | "shortage" | "clock" | "message";

function planted(home: string, bugIn: string, how: How): { home: string; env: Record<string, string> } {
	const env = { NODE_OPTIONS: `--require=${HOOK}`, BUG_IN: bugIn, BUG_HOW: how, BUG_WHEN: join(home, "now") };
	return { home, env };
}

async function bugsOf(program: Program, place = "."): Promise<{ path: string; text: string; mode: number }> {
	const path = join(await program.runDirectory(), place, "bugs.log");
	return { path, text: readFileSync(path, "utf8"), mode: statSync(path).mode & 0o777 };
}

/** The living processes that carry the cookie of a run of this home. */
async function livingOf(program: Program): Promise<string[]> {
	const run = (await program.runDirectory()).split("/").at(-1);
	const carries = (pid: number) => procTable.environment(pid)?.AGENTREE_AGENT?.startsWith(`${run}/`) === true;
	return procTable
		.list()
		.filter((info) => !hasEnded(info) && carries(info.pid))
		.map(({ pid, name }) => `${name} ${pid}`);
}

test.each(["timer", "rejection"] as const)(
	"a bug in an agent (%s) is one line that names the file with its stack",
	async (how) => {
		// Seen to fail with `bugs.listen()` left out of main: the agent dies without a word, with Node's stack on stderr.
		const home = temporaryHome();
		const task = "agent 'touch now; sleep 61' > out 2> err; echo code $?; cat out err";
		const program = startProgram(["run", "--model", "shell", task], planted(home, "agent 1.1", how));
		const { code, stdout } = await program.ended;
		const { path, text, mode } = await bugsOf(program, IS_SANDBOXED ? "1/1" : ".");
		const line = `agent 1.1: crashed: ${REASON}; its stack is in ${path}, please report it`;
		expect([code, stdout.toString(), mode]).toEqual([0, `code 70\n${line}\n`, 0o600]);
		expect(text).toMatch(
			/^\d{4}-\d\d-\d\dT[\d:.]+Z agent 1\.1 \(pid \d+, node v\S+, \S+ \S+\)\nTypeError: a planted\n bug\n {4}at /,
		);
		expect(program.events()).toContainEqual(
			expect.objectContaining({ event: "agent_ended", agent: "1.1", ending: { by: "crashed", reason: REASON } }),
		);
	},
);

test("a bug in the root ends the run with 70 and one line", async () => {
	const home = temporaryHome();
	const line = ["run", "--model", "shell", "(exec setsid sleep 62) & touch now; sleep 62"];
	const program = startProgram(line, planted(home, "agent 1", "timer"));
	const { code, stdout, stderr } = await program.ended;
	expect(await livingOf(program)).toEqual([]);
	const { path } = await bugsOf(program);
	const said = `agent 1: crashed: ${REASON}; its stack is in ${path}, please report it\n`;
	expect([code, stdout.toString(), stderr.toString()]).toEqual([70, "", said]);
	expect(program.events().at(-1)).toMatchObject({ event: "run_ended", exitCode: 70, survivors: [] });
});

test("an agent that met a bug exits after its commands have ended, also those that take the whole grace", async () => {
	// Seen to fail with an agent that gives its supervisor 2 s.
	const home = temporaryHome();
	const child = "trap : TERM; echo $$ > pid; touch now; while :; do sleep 0.1; done";
	const task = `agent '${child}' 2> /dev/null; echo "code $?"; grep -s ^State "/proc/$(cat pid)/status"; :`;
	const program = startProgram(["run", "--model", "shell", task], planted(home, "agent 1.1", "timer"));
	const { stdout } = await program.ended;
	expect(stdout.toString()).toMatch(/^code 70\n(State:\tZ.*\n)?$/);
});

test.each([
	["message", "touch now"],
	["timer", "touch now; sleep 63"],
	["rejection", "touch now; sleep 63"],
] as const)("a bug in the supervisor (%s) ends the whole tree, then the run with 70", async (how, child) => {
	// Seen to fail when an exception of the handler closed the connection: the run went on without that agent.
	const home = temporaryHome();
	const task = `(exec setsid sleep 62) & agent '${child}'; sleep 64`;
	const program = startProgram(["run", "--model", "shell", task], planted(home, "agent supervisor", how));
	const { code, stdout, stderr } = await program.ended;
	expect(await livingOf(program)).toEqual([]);
	const { path, text, mode } = await bugsOf(program);
	const line = `agent: ${REASON}; its stack is in ${path}, please report it\n`;
	expect([code, stdout.toString(), stderr.toString(), mode]).toEqual([70, "", line, 0o600]);
	expect(text).toMatch(/Z agent supervisor \S+ \(pid .*\nTypeError: a planted\n bug\n/);
	if (how === "message") expect(text).toMatch(/at \S.* \(src\/supervisor\/supervisor\.ts:\d+:\d+\)\n/);
	const ending = { by: "crashed", reason: REASON };
	const ended = program.events().filter(({ event }) => event === "agent_ended" || event === "run_ended");
	expect(ended.slice(-3)).toEqual([
		expect.objectContaining({ agent: "1", ending }),
		expect.objectContaining({ agent: "1.1", ending: { by: "crashed", reason: "its run ended" } }),
		expect.objectContaining({ event: "run_ended", ending, exitCode: 70, survivors: [] }),
	]);
	expect(readRunFile(await program.runDirectory())).toMatchObject({ ending, exitCode: 70 });
});

test("a run that met a bug tells it in its JSON, too", async () => {
	const home = temporaryHome();
	const line = ["run", "--output-format", "json", "--model", "shell", "touch now"];
	const program = startProgram(line, planted(home, "agent supervisor", "message"));
	const { code, stdout } = await program.ended;
	expect([code, JSON.parse(stdout.toString())]).toMatchObject([70, { exit_code: 70 }]);
});

test("a supervisor that has no open files left ends its tree and exits with 75: that is no bug", async () => {
	const home = temporaryHome();
	const line = ["run", "--model", "shell", "(exec setsid sleep 62) & touch now; sleep 63"];
	const program = startProgram(line, planted(home, "agent supervisor", "shortage"));
	const { code, stderr } = await program.ended;
	expect(await livingOf(program)).toEqual([]);
	expect([code, stderr.toString()]).toEqual([
		75,
		expect.stringMatching(/^agent: too many files are open \(EMFILE\).*\n$/),
	]);
	expect(program.events().at(-1)).toMatchObject({ event: "run_ended", ending: { by: "failure" }, exitCode: 75 });
});

test("a bug outside of a run is a stack of our files on stderr, and a line below it", async () => {
	const home = temporaryHome();
	writeFileSync(join(home, "now"), "");
	const { exit, stdout, stderr } = await runProgram(["run", "--model", "shell", "true"], planted(home, "run", "clock"));
	expect([exit, stdout]).toEqual([70, ""]);
	expect(stderr).toMatch(/^TypeError: a planted\n bug\n(?: {4}at .*\n)* {4}at .*src\/cli\/\S+\.ts:\d+:\d+/);
	expect(stderr).toMatch(new RegExp(`\\nagent: ${REASON}; its stack is above, please report it\\n$`));
});

describe.skipIf(!hasTmux())("behind and in a dashboard (needs tmux)", () => {
	/** A terminal in which `agent tree` is being watched; the bug comes with the file `now`. */
	async function watchTree(bugIn: string, how: How) {
		const home = temporaryHome();
		const terminal = openTerminal(home);
		const { env } = planted(home, bugIn, how);
		const variables = Object.entries({ ...env, AGENTREE_HOME: `${home}/agentree`, XDG_RUNTIME_DIR: `${home}/run` });
		terminal.type(`cd ${home}; export ${variables.map(([name, value]) => `${name}='${value}'`).join(" ")}; clear`);
		terminal.type(`${process.execPath} ${AGENT_PROGRAM} tree --model shell 'sleep 60'; echo "code $?"`);
		await terminal.shows(/● 1 sleep/);
		writeFileSync(join(home, "now"), "");
		const [run = ""] = listRuns(join(home, "agentree"));
		const directory = runDirectory(join(home, "agentree"), run);
		return { terminal, directory, path: join(directory, "bugs.log") };
	}

	/** Lines are broken between words, and where a word is longer than a line within it. */
	const unbroken = (text: string) => text.replace(/\s+/g, "");

	test("a bug in the dashboard gives the terminal back and tells where its stack is; the run goes on", async () => {
		const { terminal, directory, path } = await watchTree("agent dashboard", "clock");
		const text = await terminal.shows(/^code 70$/m);
		expect(unbroken(text)).toContain(
			unbroken(`agent: the dashboard failed: ${REASON}; its stack is in ${path}, please report`),
		);
		expect(readFileSync(path, "utf8")).toMatch(/Z agent dashboard [\s\S]* at .*src\/faces\/dashboard\/\S+\.ts:\d+:\d+/);
		expect(readRunFile(directory).endedAt).toBe(undefined);
		await terminal.isRestored();
	});

	test("a bug in the supervisor behind a dashboard is shown there, and told when the dashboard closes", async () => {
		const { terminal, path } = await watchTree("agent supervisor", "timer");
		await terminal.shows(/^ run ended: crashed.* — q to close/m);
		terminal.press("q");
		const text = await terminal.shows(/^code 70$/m);
		expect(unbroken(text)).toContain(unbroken(`agent 1: crashed: ${REASON}; its stack is in ${path}`));
		expect(readFileSync(path, "utf8")).toMatch(/Z agent supervisor /);
	});
});

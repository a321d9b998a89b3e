/** `agent tree` in a real terminal: a dashboard in front, a supervisor that outlives it behind. */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import type { RunEvent } from "../../../src/core/schemas/run-event.ts";
import { hasEnded, procTable } from "../../../src/processes/table/process-table.ts";
import { readEvents } from "../../../src/record/read-events.ts";
import { listRuns } from "../../../src/record/read-run.ts";
import { runDirectory } from "../../../src/record/run-directory.ts";
import { hasTmux, openTerminal } from "../../fixtures/terminal.ts";
import { WAIT } from "../../wait.ts";
import { AGENT_PROGRAM, startProgram, temporaryHome } from "../program.ts";

const WAITS = 'agent "until [ -e go ]; do sleep 0.05; done; echo went"';

/** The row of 1.1 in the tree: its mark, its number, its name, and what it does now. */
const CHILD_RUNS = /└─● 1 until .* \$ until/;

/** A terminal in which `agent tree --model shell …` is being watched. */
async function watchTree(task: string, flags = "") {
	const home = temporaryHome();
	const terminal = openTerminal(home);
	terminal.type(`cd ${home}; export AGENTREE_HOME=${home}/agentree XDG_RUNTIME_DIR=${home}/run; clear`);
	terminal.type(`${process.execPath} ${AGENT_PROGRAM} tree ${flags} --model shell '${task}'; echo "code $?"`);
	await terminal.shows(/ slots \d\/\d/);
	const state = join(home, "agentree");
	const events = (): RunEvent[] => listRuns(state).flatMap((run) => readEvents(runDirectory(state, run)).values);
	return {
		home,
		terminal,
		events,
		ended: () => vi.waitFor(() => expect(events().at(-1)?.event).toBe("run_ended"), WAIT),
	};
}

describe.skipIf(!hasTmux())("in a terminal (needs tmux)", () => {
	test("the tree is shown live, and the answer is printed when the dashboard closes", async () => {
		const { home, terminal, ended } = await watchTree(WAITS);
		await terminal.shows(CHILD_RUNS);
		writeFileSync(join(home, "go"), "");
		await ended();
		await terminal.shows(/^ run ended: answer — q to close/m);
		terminal.press("q");
		await terminal.shows(/^went\ncode 0$/m);
		await terminal.isRestored();
	});

	test("a row tells the place in the queue for a slot, and how long a command has printed nothing", async () => {
		const { terminal } = await watchTree(`${WAITS} & ${WAITS} & ${WAITS} & wait`, "--max-concurrency 1");
		for (const place of ["1st", "2nd"]) await terminal.shows(new RegExp(`○ \\d .* queued: ${place} of 2`));
		await terminal.shows(/● \d until .* [5-9]s +\$ until/);
	});

	test("stop, chosen at the question, ends the run and tells with 130", async () => {
		const { terminal, events } = await watchTree(WAITS);
		await terminal.shows(CHILD_RUNS);
		terminal.press("q");
		await terminal.shows(/The run is still running/);
		terminal.press("s");
		await terminal.shows(/^code 130$/m);
		expect(events().at(-1)).toMatchObject({ event: "run_ended", exitCode: 130, survivors: [] });
	});

	test.each([
		["SIGTERM", 143],
		["SIGINT", 130],
		["SIGQUIT", 131],
	] as const)("%s to the dashboard stops the run, and tells with %i", async (signal, code) => {
		// Seen to fail without removeExitOnSignal: code 0, and not a word.
		const { terminal, ended, events } = await watchTree(WAITS);
		await terminal.shows(CHILD_RUNS);
		process.kill(terminal.pid(), signal);
		const screen = await terminal.shows(new RegExp(`^code ${code}$`, "m"));
		expect(screen).toContain(`agent 1: stopped: the dashboard received ${signal}`);
		await terminal.isRestored();
		await ended();
		expect(events().at(-1)).toMatchObject({ exitCode: code, survivors: [] });
	});

	test("a pasted text with q and s in it stops nothing, marked as a paste by the terminal or not", async () => {
		// Seen to fail without `isUnderWay` (the first) and without `#isQuestionUnseen` (the second).
		const { home, terminal, ended } = await watchTree(WAITS);
		await terminal.shows(CHILD_RUNS);
		terminal.paste("quick answers\rq, s");
		terminal.press("?");
		await terminal.shows(/Keys .*esc closes/);
		terminal.press("?");
		terminal.type("qs");
		await terminal.shows(/The run is still running/);
		terminal.press("Escape");
		await terminal.showsNo(/The run is still running/);
		writeFileSync(join(home, "go"), "");
		await ended();
		await terminal.shows(/^ run ended: answer — q to close/m);
	});

	test("a run that is left goes on, and says how to look at it", async () => {
		const { home, terminal, ended, events } = await watchTree(WAITS);
		await terminal.shows(CHILD_RUNS);
		terminal.press("q");
		await terminal.shows(/The run is still running/);
		terminal.press("l");
		await terminal.shows(/is still running: agent ps.*code 0/s);
		terminal.type("touch go");
		await ended();
		expect(events().at(-1)).toMatchObject({ exitCode: 0 });
		expect(existsSync(join(home, "go"))).toBe(true);
	});

	test("a screen that dies does not end the run", async () => {
		// Seen to fail with the supervisor spawned without `detached`, and the whole process group killed.
		const { terminal, ended, events } = await watchTree(WAITS);
		await terminal.shows(CHILD_RUNS);
		const dashboard = terminal.pid();
		const group = procTable.read(dashboard)?.group ?? dashboard;
		for (const info of procTable.list()) if (info.group === group && !hasEnded(info)) process.kill(info.pid, "SIGKILL");
		await terminal.shows(/code 137/);
		terminal.type("touch go");
		await ended();
		expect(events().at(-1)).toMatchObject({ exitCode: 0 });
	});
});

test("without a terminal it is agent run with progress lines on stderr", async () => {
	const { code, stdout, stderr } = await startProgram(["tree", "--model", "shell", 'agent "echo plain"']).ended;
	expect([code, stdout.toString()]).toEqual([0, "plain\n"]);
	const lines = stderr.toString().trim().split("\n");
	expect(
		lines.map((line) => line.replace(/^\d\d:\d\d:\d\d {2}/, "TIME ").replace(/after \w+/, "after A WHILE")),
	).toEqual([
		expect.stringMatching(/^TIME run: \d{8}-\d{6}-\w{4}, model shell$/),
		'TIME 1 $ agent "echo plain"',
		"TIME   1.1: started: echo plain",
		"TIME   1.1 echo plain $ echo plain",
		"TIME   1.1 echo plain: answered after A WHILE: plain",
		"TIME run: ended after A WHILE: 2 answered",
	]);
});

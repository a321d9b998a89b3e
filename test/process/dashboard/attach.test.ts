/** `agent attach` in real terminals: the dashboard on a run that was started elsewhere, or that is over. */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { isRecordedAlive } from "../../../src/processes/table/open-table.ts";
import { readEvents } from "../../../src/record/read-events.ts";
import { newestRuns } from "../../../src/record/read-run.ts";
import { hasTmux, openTerminal } from "../../fixtures/terminal.ts";
import { WAIT } from "../../wait.ts";
import { AGENT_PROGRAM, runProgram, temporaryHome } from "../program.ts";

const WAITS = 'agent "until [ -e go ]; do sleep 0.05; done; echo went"';
/** The row of 1.1 in the tree: its mark, its number, its name, and what it does now. */
const CHILD_RUNS = /└─● 1 until .* \$ until/;
const shell = (task: string) => ["run", "--detach", "--model", "shell", task];

/** A terminal of its own, whose shell knows the program as `agent`. */
function terminalAt(home: string, name: string) {
	mkdirSync(join(home, name));
	const terminal = openTerminal(join(home, name));
	terminal.type(
		`cd ${home}; export AGENTREE_HOME=${home}/agentree XDG_RUNTIME_DIR=${home}/run; agent() { ${process.execPath} ${AGENT_PROGRAM} "$@"; }; clear`,
	);
	return terminal;
}

async function detached(home: string) {
	const { stdout } = await runProgram(shell(WAITS), { home });
	const [newest] = newestRuns(join(home, "agentree"));
	if (newest === undefined) throw new Error("no run");
	const { directory, file } = newest;
	return {
		...{ run: stdout.trim(), name: stdout.trim().slice(-4), supervisor: file.supervisor },
		lastEvent: () => readEvents(directory).values.at(-1),
	};
}

describe.skipIf(!hasTmux())("in terminals (needs tmux)", () => {
	test("several dashboards see the same, a stop from one is seen by all, and the run that is over is shown again", async () => {
		const home = temporaryHome();
		const { name, lastEvent } = await detached(home);
		const [first, second] = [terminalAt(home, "first"), terminalAt(home, "second")];
		first.type(`agent attach; echo "code $?"`);
		await first.shows(CHILD_RUNS);
		second.type(`agent attach ${name}/1.1; echo "code $?"`);
		await second.shows(/[┌┏] 1\.1 .*─ running/);
		first.press("q");
		await first.shows(/l leave running/);
		first.press("s");
		await first.shows(new RegExp(`^run ${name}: 2 agents, 2 stopped, \\d+\\w* — agent attach ${name}\ncode 0$`, "m"));
		await first.isRestored();
		await second.shows(/run ended: stopped: from the dashboard — q to close/);
		second.press("q");
		await second.shows(/^code 0$/m);
		expect(lastEvent()).toMatchObject({ event: "run_ended", exitCode: 130, survivors: [] });
		second.type("clear; agent attach");
		await second.shows(/└─■ 1 until .* stopped[\s\S]*run ended: stopped: from the dashboard — q to close/);
		second.press("d");
		await second.shows(/^run \w+: 2 agents, 2 stopped/m);
		await second.isRestored();
	});

	test("d leaves a run that another terminal comes back to, also without its socket's file; one that closes harms nothing", async () => {
		const home = temporaryHome();
		const [first, second] = [terminalAt(home, "first"), terminalAt(home, "second")];
		first.type(`agent tree --model shell '${WAITS}'; echo "code $?"`);
		await first.shows(CHILD_RUNS);
		first.press("d");
		await first.shows(/is still running: agent ps[\s\S]*code 0/);
		const sockets = join(home, "run/agentree");
		for (const file of readdirSync(sockets)) if (file.endsWith(".sock")) rmSync(join(sockets, file));
		second.type(`agent attach; echo "code $?"`);
		await second.shows(CHILD_RUNS);
		process.kill(second.pid(), "SIGHUP");
		await second.shows(/2 agents, 2 alive,[\s\S]*code 129/);
		second.type("clear; agent attach");
		await second.shows(CHILD_RUNS);
		writeFileSync(join(home, "go"), "");
		await second.shows(/│ went[\s\S]*run ended: answer — q to close/);
	});

	test("a dashboard whose supervisor is killed goes on to show what the files tell, and says that the supervisor died", async () => {
		const home = temporaryHome();
		const { supervisor } = await detached(home);
		const terminal = terminalAt(home, "terminal");
		terminal.type("agent attach");
		await terminal.shows(CHILD_RUNS);
		process.kill(supervisor.pid, "SIGKILL");
		const screen = await terminal.shows(/run ended: crashed: its supervisor died, 2 of 2 agents failed — q to close/);
		expect(screen).not.toMatch(/[●◌◆↻○]/);
		terminal.press("j");
		await terminal.shows(/[┌┏] 1\.1 .*─ ended: crashed[\s\S]*│ \$ until/);
	});

	test("without a run's name it takes the newest that lives in this directory, else the newest", async () => {
		const home = temporaryHome();
		const { name, supervisor } = await detached(home);
		await runProgram(["run", "--model", "shell", "echo newer"], { home });
		const terminal = terminalAt(home, "terminal");
		terminal.type("agent attach");
		await terminal.shows(CHILD_RUNS);
		terminal.press("q");
		await terminal.shows(/l leave running/);
		terminal.press("l");
		await terminal.shows(new RegExp(`^run ${name}: 2 agents, 2 alive`, "m"));
		await runProgram(["stop", name], { home });
		await vi.waitFor(() => expect(isRecordedAlive(supervisor)).toBe(false), WAIT);
		terminal.type("clear; agent attach");
		await terminal.shows(/│ newer[\s\S]*run ended: answer — q to close/);
	});
});

test("without a terminal it names what to use instead, and inside a run it is refused", async () => {
	const home = temporaryHome();
	const { stdout } = await runProgram(["run", "--model", "shell", "agent attach 2>&1; echo $?"], { home });
	expect(stdout).toMatch(/^agent: agents cannot use agent attach; use agent ps, agent show .*\n4\n$/);
	const [{ run } = { run: "" }] = newestRuns(join(home, "agentree"));
	expect(await runProgram(["attach"], { home })).toEqual({
		...{ exit: 2, stdout: "" },
		stderr: `agent: agent attach needs a full terminal; without one: agent show ${run} --follow, or agent log ${run} --follow\n`,
	});
	expect(await runProgram(["attach", "zzzz"], { home })).toMatchObject({ exit: 2, stdout: "" });
});

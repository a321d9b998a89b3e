/** Ctrl-Z, fg and bg in a real terminal with a real shell: who has the terminal, and how a dashboard ends that is stopped. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { procTable } from "../../../src/processes/table/process-table.ts";
import { readEvents } from "../../../src/record/read-events.ts";
import { listRuns } from "../../../src/record/read-run.ts";
import { runDirectory } from "../../../src/record/run-directory.ts";
import { hasTmux, openTerminal } from "../../fixtures/terminal.ts";
import { WAIT } from "../../wait.ts";
import { AGENT_PROGRAM, temporaryHome } from "../program.ts";

/** A dashboard in front of a run whose agent waits, in a shell with job control. */
async function watchRun() {
	const home = temporaryHome();
	const terminal = openTerminal(home);
	terminal.type(`cd ${home}; export AGENTREE_HOME=${home}/agentree XDG_RUNTIME_DIR=${home}/run; clear`);
	terminal.type(`${process.execPath} ${AGENT_PROGRAM} tree --model shell 'until [ -e go ]; do sleep 0.05; done'`);
	await terminal.shows(/● 1 /);
	const pid = terminal.pid();
	const state = join(home, "agentree");
	return {
		terminal,
		pid,
		isStopped: () => procTable.read(pid)?.state === "T",
		/** Its shell has heard of its end. */
		isGone: () => procTable.read(pid) === undefined,
		lastEvent: () =>
			listRuns(state)
				.flatMap((run) => readEvents(runDirectory(state, run)).values)
				.at(-1),
		suspend: async () => {
			terminal.press("C-z");
			await terminal.shows(/Stopped/);
			await terminal.isRestored();
		},
	};
}

/** The shell's word on a job that is over comes with its next prompt. */
async function saysJobEnded(terminal: ReturnType<typeof openTerminal>, code: number): Promise<void> {
	terminal.type("jobs; echo ready");
	await terminal.shows(new RegExp(`Exit ${code} `));
	await terminal.isRestored();
}

describe.skipIf(!hasTmux())("in a terminal (needs tmux)", () => {
	test.each([
		["SIGTERM", 143],
		["SIGHUP", 129],
	] as const)("%s ends a dashboard that is stopped, and with it the run", async (signal, code) => {
		// Seen to fail without wakeForSignals: the signal waits. And with the terminal read through process.stdin: the process is
		// stopped once more when it exits.
		const { terminal, pid, isGone, isStopped, lastEvent, suspend } = await watchRun();
		await suspend();
		expect(isStopped()).toBe(true);
		process.kill(pid, signal);
		await vi.waitFor(() => expect(isGone()).toBe(true), WAIT);
		await saysJobEnded(terminal, code);
		expect(lastEvent()).toMatchObject({ event: "run_ended", exitCode: code, survivors: [] });
	});

	test("kill of the job, which the shell makes go on, ends it too", async () => {
		// Seen to fail with the terminal read through process.stdin.
		const { terminal, isGone, lastEvent, suspend } = await watchRun();
		await suspend();
		terminal.type("kill %1");
		await vi.waitFor(() => expect(isGone()).toBe(true), WAIT);
		await saysJobEnded(terminal, 143);
		expect(lastEvent()).toMatchObject({ event: "run_ended", exitCode: 143 });
	});

	test("in the background it leaves the terminal alone, and fg shows it in the size that the terminal has then", async () => {
		// Seen to fail without the look at the foreground: it took the terminal, and was stopped for that; and without askSize.
		const { terminal, isStopped, suspend } = await watchRun();
		await suspend();
		terminal.type("bg; clear");
		await vi.waitFor(() => expect(isStopped()).toBe(false), WAIT);
		await terminal.isRestored();
		terminal.resize(60, 14);
		terminal.type("fg");
		const lines = (await terminal.shows(/^ agentree [\s\S]*quit/)).split("\n");
		expect(lines).toHaveLength(14);
		expect(lines.map((line) => line.length).filter((length) => length > 60)).toEqual([]);
		await suspend();
		terminal.resize(110, 40);
		terminal.type("fg");
		await vi.waitFor(async () => expect((await terminal.shows(/quit/)).split("\n")).toHaveLength(40), WAIT);
		terminal.press("?");
		await terminal.shows(/Keys /);
	});

	test("who stops it from elsewhere finds the terminal restored, too", async () => {
		const { terminal, pid, isStopped } = await watchRun();
		process.kill(pid, "SIGTSTP");
		await terminal.shows(/Stopped/);
		expect(isStopped()).toBe(true);
		await terminal.isRestored();
		terminal.type("fg");
		await terminal.shows(/● 1 [\s\S]*quit/);
	});

	test("nobody waits for signals any more when it is shown again", async () => {
		const { terminal, pid, suspend } = await watchRun();
		const wakers = () => procTable.list().filter(({ parent, name }) => parent === pid && name === "bash");
		await suspend();
		const [waker] = wakers();
		expect(readFileSync(`/proc/${waker?.pid}/cmdline`, "latin1")).toMatch(/^agent wake-for-signals\0/);
		terminal.type("fg");
		await terminal.shows(/● 1 [\s\S]*quit/);
		await vi.waitFor(() => expect(wakers()).toEqual([]), WAIT);
	});
});

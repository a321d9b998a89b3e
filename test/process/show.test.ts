/** show against run directories on disk, and against one that grows. */
import { appendFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { show } from "../../src/cli/show.ts";
import type { RunEvent } from "../../src/core/run-event.ts";
import { procTable } from "../../src/processes/process-table.ts";
import { END, EVENTS, type RecordedIo, RUN, recordedIo, recordRun, TRANSCRIPT } from "../unit/cli/recorded-run.ts";
import { T0, temporaryHome } from "../unit/store/fabricate.ts";

process.env.TZ = "UTC"; // the times printed are local

/** This test's own process stands for a supervisor that lives. */
const living = { pid: process.pid, start_time: procTable.read(process.pid)?.startTime ?? "" };
const over = { ended_at: T0 + 68_200, ending: { by: "stopped", reason: "Ctrl-C", signal: 2 }, exit_code: 130 } as const;
const read = { json: false, follow: false };

test("show prints the transcript of the root for people, without what a terminal would obey", async () => {
	const home = temporaryHome();
	recordRun(home, { file: over });
	const io = recordedIo(home);
	expect(await show(read, io)).toBe(0);
	expect(io.out().replaceAll(home, "HOME")).toMatchInlineSnapshot(`
		"agent 1 of run 20261127-201530-k3f9
		task    count the lines
		model   shell
		limits  max-depth 3, max-agents 64, max-children 16, max-concurrency 8, max-turns 50, max-total-turns 1000, max-time 1h00m, max-processes 2000
		state   ended: stopped: Ctrl-C
		used    1 turn, 1.2k in / 80 out, $0.0123, 1m08s

		> count the lines
		> of every folder

		turn 1  20:15:32  tool_use, 1.2k in / 80 out, $0.0123
		Two commands at once.
		I look.
		$ agent "count
		> src"
		$ seq 30; exit 3
		    12 lines
		    command 1: exit status 0, 370ms
		    1
		    2
		    3
		    4
		    5
		    6
		    7
		    8
		    9
		    10
		    11
		    12
		    13
		    14
		    15
		    16
		    17
		    18
		    19
		    20
		    … 10 more lines (HOME/runs/20261127-201530-k3f9/1/out/0002.log)
		    command 2: exit status 3, 1m05s

		children
		  20261127-201530-k3f9/1.1  ended: failure: overloaded  task of 1.1
		"
	`);
	expect(io.err()).toBe("");
});

test("show has colours on a terminal, none with NO_COLOR, and a flag wins over both", async () => {
	const home = temporaryHome();
	recordRun(home, { file: over });
	const first = async (changes: Partial<RecordedIo>, color?: boolean) => {
		const io = recordedIo(home, changes);
		await show({ ...read, color }, io);
		return io.out().split("\n")[0];
	};
	const bold = `\u001b[1magent 1 of run ${RUN}\u001b[22m`;
	const noColor = { AGENTREE_HOME: home, NO_COLOR: "1" };
	expect(await first({ isTTY: true })).toBe(bold);
	expect(await first({ isTTY: true, env: noColor })).toBe(`agent 1 of run ${RUN}`);
	expect(await first({ isTTY: true, env: noColor }, true)).toBe(bold);
	expect(await first({ isTTY: true }, false)).toBe(`agent 1 of run ${RUN}`);
});

test("show --json is agent.json and all messages, untouched", async () => {
	const home = temporaryHome();
	recordRun(home, { file: over });
	const io = recordedIo(home);
	expect(await show({ json: true, follow: false, ref: `${RUN}/1` }, io)).toBe(0);
	expect(JSON.parse(io.out())).toEqual({
		agent: expect.objectContaining({ agent: "1", run: RUN, system: "You are an agent." }),
		messages: TRANSCRIPT,
	});
});

test("inside a run, a bare path and nothing mean that run", async () => {
	const home = temporaryHome();
	recordRun(home, { file: { ...over, cwd: "/other" } });
	const first = async (ref?: string) => {
		const io = recordedIo(home, { env: { AGENTREE_HOME: home, AGENTREE_AGENT: `${RUN}/1` } });
		await show({ ...read, ref }, io);
		return io.out().split("\n")[0];
	};
	expect(await first("1.1")).toBe(`agent 1.1 of run ${RUN}`);
	expect(await first()).toBe(`agent 1 of run ${RUN}`);
});

test("show --follow prints messages as they come, and ends when its agent has ended", async () => {
	const home = temporaryHome();
	const directory = recordRun(home, { file: { supervisor: living }, events: EVENTS });
	rmSync(join(directory, "1", "transcript.jsonl"));
	const [task, answer, results] = TRANSCRIPT.map((entry) => `${JSON.stringify(entry)}\n`);
	const io = recordedIo(home);
	const following = show({ ...read, follow: true }, io);
	appendFileSync(join(directory, "1", "transcript.jsonl"), `${task}${answer?.slice(0, 100)}`);
	await until(io, "> of every folder");
	appendFileSync(join(directory, "1", "transcript.jsonl"), `${answer?.slice(100)}`);
	await until(io, "$ seq 30; exit 3");
	expect(io.out()).not.toContain("command 2");
	appendFileSync(join(directory, "1", "transcript.jsonl"), `${results}`);
	appendEvents(directory, END.slice(0, 3));
	expect(await following).toBe(0);
	expect(io.out().match(/^> of every folder|^\$ seq|^ {4}command \d|^state.*|^used.*/gm)).toEqual([
		"state   running 1m57s",
		"used    1 turn, 1.2k in / 80 out, $0.0123, 1m59s",
		"> of every folder",
		"$ seq",
		"    command 1",
		"    command 2",
		"state   ended: stopped: Ctrl-C",
		"used    1 turn, 1.2k in / 80 out, $0.0123, 1m08s",
	]);
});

function appendEvents(directory: string, events: readonly RunEvent[]): void {
	for (const event of events) appendFileSync(join(directory, "events.jsonl"), `${JSON.stringify(event)}\n`);
}

async function until(io: RecordedIo, text: string): Promise<void> {
	await vi.waitFor(() => expect(io.out()).toContain(text), { timeout: 10_000, interval: 10 });
}

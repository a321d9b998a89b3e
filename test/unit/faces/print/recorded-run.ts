/** A run with a child, refusals, results of every kind and hostile text, as a supervisor would have written it. */

import type { RunEvent } from "../../../../src/core/schemas/run-event.ts";
import type { AgentFile, RunFile } from "../../../../src/core/schemas/run-files.ts";
import type { TranscriptEntry } from "../../../../src/core/schemas/transcript.ts";
import type { Io } from "../../../../src/faces/print/io.ts";
import { ownPidNamespace } from "../../../../src/processes/table/pid-namespace.ts";
import { takeRunLock } from "../../../../src/record/run-lock.ts";
import { createRun } from "../../../../src/record/run-writer.ts";
import { agentFile, agentJoined, runFile, runStarted, T0 } from "../../record/fabricate.ts";

export const RUN = runFile().run;

const usage = { input: 200, output: 80, cacheRead: 900, cacheWrite: 100 };

export const EVENTS: readonly RunEvent[] = [
	runStarted(),
	agentJoined("1", T0 + 100, { task: "count the lines\u001b[2J" }),
	{ event: "turn_queued", at: T0 + 110, agent: "1" },
	{ event: "turn_started", at: T0 + 120, agent: "1", turn: 1, isLast: false },
	{ event: "turn_ended", at: T0 + 2_120, agent: "1", turn: 1, stopReason: "tool_use", usage, costUsd: 0.0123 },
	started("1", 1, T0 + 2_130, 'agent "count\nsrc"'),
	started("1", 2, T0 + 2_131, "seq 30; exit 3"),
	agentJoined("1.1", T0 + 2_200, { command: 1 }),
	{ event: "child_refused", at: T0 + 2_300, parent: "1.1", code: "depth", reason: "depth limit reached", task: "more" },
	{ event: "turn_started", at: T0 + 2_310, agent: "1.1", turn: 1, isLast: true },
	{ event: "turn_failed", at: T0 + 2_400, agent: "1.1", turn: 1, reason: "overloaded", usage, costUsd: null },
	{ event: "agent_ended", at: T0 + 2_450, agent: "1.1", ending: { by: "failure", reason: "overloaded", exitCode: 1 } },
	ended("1", 1, T0 + 2_500, { by: "exit", code: 0 }),
	{ ...ended("1", 2, T0 + 67_131, { by: "exit", code: 3 }), leftRunning: [{ pid: 77, name: "sleep" }] },
	{ event: "turn_refused", at: T0 + 67_200, agent: "1", limit: "max-turns", reason: "turn limit reached" },
];

export const END: readonly RunEvent[] = [
	{ event: "agent_stopping", at: T0 + 68_000, agent: "1", reason: "Ctrl-C" },
	{ event: "run_stopping", at: T0 + 68_001, reason: "Ctrl-C" },
	{ event: "agent_ended", at: T0 + 68_100, agent: "1", ending: { by: "stopped", reason: "Ctrl-C", signal: 2 } },
	{
		...{ event: "run_ended", at: T0 + 68_200, ending: { by: "stopped", reason: "Ctrl-C", signal: 2 }, exitCode: 130 },
		survivors: [77],
	},
];

export const TRANSCRIPT: readonly TranscriptEntry[] = [
	{ role: "user", content: [{ type: "text", text: "count the lines\nof every folder" }], at: T0 + 110 },
	{
		role: "assistant",
		content: [
			{ type: "thinking", thinking: "Two commands at once.", signature: "s" },
			{ type: "text", text: "I look.\u001b]0;owned\u0007\n" },
			{ type: "tool_use", id: "a", name: "bash", input: { command: 'agent "count\nsrc"' } },
			{ type: "tool_use", id: "b", name: "bash", input: { command: "seq 30; exit 3" } },
		],
		at: T0 + 2_120,
		turn: 1,
		model: "shell",
		stopReason: "tool_use",
		usage,
		costUsd: 0.0123,
	},
	{
		role: "user",
		content: [
			{ type: "tool_result", tool_use_id: "a", content: "12 lines\n" },
			{ type: "tool_result", tool_use_id: "b", content: Array.from({ length: 30 }, (_, i) => i + 1).join("\n") },
		],
		at: T0 + 67_140,
		commands: [
			{ command: 1, toolUseId: "a", end: { by: "exit", code: 0 }, outputBytes: 9, log: "out/0001.log" },
			{ command: 2, toolUseId: "b", end: { by: "exit", code: 3 }, outputBytes: 80, log: "out/0002.log" },
		],
	},
];

/** Written whole but for its last events, when `events` says so. Gives the run's directory. */
export function recordRun(
	home: string,
	{
		file = {},
		agent = {},
		events = [...EVENTS, ...END],
	}: { file?: Partial<RunFile>; agent?: Partial<AgentFile>; events?: readonly RunEvent[] },
): string {
	const run = createRun(home, runFile(file));
	run.addAgent(agentFile({ run: runFile(file).run, ...agent }));
	run.addAgent(agentFile({ run: runFile(file).run, agent: "1.1", parent: "1", task: "task of 1.1" }));
	for (const event of events) run.append(event.event === "run_started" ? { ...event, run: runFile(file).run } : event);
	for (const entry of TRANSCRIPT) run.record("1", entry);
	const { supervisor, endedAt } = runFile(file);
	const owner = { pid: supervisor.pid, startTime: supervisor.startTime, pidNamespace: ownPidNamespace() };
	if (endedAt === undefined) takeRunLock(run.directory, owner, undefined);
	run.close();
	return run.directory;
}

export interface RecordedIo extends Io {
	readonly out: () => string;
	readonly err: () => string;
}

/** Not a terminal, two minutes after the run began, in its directory. */
export function recordedIo(home: string, changes: Partial<Io> = {}): RecordedIo {
	let out = "";
	let err = "";
	return {
		env: { AGENTREE_HOME: home, HOME: home },
		cwd: runFile().cwd,
		uid: process.getuid?.() ?? 0,
		stdout: (text) => {
			out += text;
		},
		stderr: (text) => {
			err += text;
		},
		isTTY: false,
		columns: undefined,
		now: () => T0 + 120_000,
		out: () => out,
		err: () => err,
		...changes,
	};
}

function started(agent: string, command: number, at: number, text: string): RunEvent {
	const log = `out/000${command}.log`;
	return { event: "command_started", at, agent, command, text, pid: 5_000 + command, startTime: "79", log };
}

function ended(
	agent: string,
	command: number,
	at: number,
	end: { by: "exit"; code: number },
): Extract<RunEvent, { event: "command_ended" }> {
	return { event: "command_ended", at, agent, command, end, outputBytes: 80, leftRunning: [] };
}

/** Writes the record of a run as its supervisor would: a root with so many children, each of which has run a command and answered. */
import { DEFAULT_LIMITS } from "../../src/core/limits/limits.ts";
import type { RunEvent } from "../../src/core/schemas/run-event.ts";
import { RUN_FORMAT, type RunFile } from "../../src/core/schemas/run-files.ts";
import { createRun, type RunWriter } from "../../src/record/run-writer.ts";

const MODEL = "claude-haiku-4-5";
const USAGE = { input: 400, output: 120, cacheRead: 9_000, cacheWrite: 300 };
const COST = { usage: USAGE, costUsd: 0.002_125 };
const MANY = 1_000_000;
const LIMITS = { ...DEFAULT_LIMITS, maxAgents: MANY, maxChildren: MANY, maxTotalTurns: MANY };
const SYSTEM = "You are an agent: an operating-system process with one tool, bash. ".repeat(40);
const PROCESS = { pid: process.pid, startTime: "1" };
const ANSWERED = { by: "answer" } as const;
const EVENT_MS = 3; // apart

/** Gives how many events it has written, and how long each took, in microseconds of computing. */
export function writeRecord(place: { home: string; run: string; cwd: string; agents: number }): {
	events: number;
	eventMicros: number;
} {
	const writing = new Writing(place);
	writing.whole(place.agents);
	return { events: writing.events, eventMicros: writing.eventMicros };
}

class Writing {
	events = 0;
	private appendMicros = 0;
	private readonly file: RunFile;
	private readonly writer: RunWriter;
	private at: number;

	constructor({ home, run, cwd, agents }: { home: string; run: string; cwd: string; agents: number }) {
		this.at = Date.now() - agents * 12 * EVENT_MS;
		const known = { run, task: "look at every file", cwd, model: MODEL, limits: LIMITS, version: "0" };
		this.file = { format: RUN_FORMAT, ...known, supervisor: PROCESS, socket: `${home}/none`, startedAt: this.at };
		this.writer = createRun(home, this.file);
	}

	get eventMicros(): number {
		return this.appendMicros / this.events;
	}

	whole(agents: number): void {
		const { run, task, cwd, model, limits, version } = this.file;
		this.add({ event: "run_started", at: this.at, run, task, cwd, model, limits, ...PROCESS, version });
		this.begin("1", task);
		for (let n = 1; n <= agents; n++) {
			this.begin(`1.${n}`, `look at file ${n} of the project, and say in a sentence what it is for`, 1);
			this.end(`1.${n}`);
		}
		this.end("1");
		this.add({ event: "run_ended", at: this.at, ending: ANSWERED, exitCode: 0, survivors: [] });
		const totals = { agents: agents + 1, failed: 0, turns: 2 * (agents + 1), ...COST };
		this.writer.writeRun({ ...this.file, endedAt: this.at, ending: ANSWERED, exitCode: 0, ...totals });
		this.writer.close();
	}

	/** Up to the start of its command. */
	private begin(agent: string, task: string, command?: number): void {
		const { run, cwd, model, limits } = this.file;
		const of = command === undefined ? {} : { command };
		this.add({
			event: "agent_joined",
			at: this.at,
			agent,
			...PROCESS,
			task,
			taskKey: "0123456789abcdef",
			model,
			limits,
			...of,
		});
		this.writer.addAgent({ agent, run, task, cwd, model, limits, system: SYSTEM, joinedAt: this.at }, true);
		this.writer.record(agent, { role: "user", at: this.at, content: [{ type: "text", text: task }] });
		const input = { command: "ls -l src" };
		this.turn(agent, 1, "tool_use", [
			{ type: "text", text: "I look." },
			{ type: "tool_use", id: "t", name: "bash", input },
		]);
		const started = { command: 1, text: input.command, ...PROCESS, log: "out/0001.log", toolUseId: "t" };
		this.add({ event: "command_started", at: this.at, agent, ...started });
	}

	private end(agent: string): void {
		const end = { by: "exit", code: 0 } as const;
		this.add({ event: "command_ended", at: this.at, agent, command: 1, end, outputBytes: 900, leftRunning: [] });
		const content = [{ type: "tool_result", tool_use_id: "t", content: "total 48\n".repeat(10) } as const];
		this.writer.record(agent, { role: "user", at: this.at, content });
		this.turn(agent, 2, "end_turn", [{ type: "text", text: `It is for the part ${agent}.` }]);
		this.add({ event: "agent_ended", at: this.at, agent, ending: ANSWERED });
	}

	private turn(
		agent: string,
		turn: number,
		stopReason: string,
		content: Extract<Parameters<RunWriter["record"]>[1], { role: "assistant" }>["content"],
	): void {
		this.add({ event: "turn_queued", at: this.at, agent });
		this.add({ event: "turn_started", at: this.at, agent, turn, isLast: false });
		this.add({ event: "turn_ended", at: this.at, agent, turn, stopReason, ...COST });
		this.writer.record(agent, { role: "assistant", at: this.at, turn, model: MODEL, stopReason, ...COST, content });
	}

	private add(event: RunEvent): void {
		const before = process.cpuUsage();
		this.writer.append(event);
		const { user, system } = process.cpuUsage(before);
		this.appendMicros += user + system;
		this.events += 1;
		this.at += EVENT_MS;
	}
}

/**
 * A real Supervisor in a process of its own, so that its CPU time is nobody else's. Only what lies outside of it is made
 * up: the model answers at once, and of the process table, unless the real one is asked for, nothing is read but the root.
 * Told over IPC: `usage` and `heap` are answered with what this process has used and has; `stop` ends the run and with it this process.
 */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DEFAULT_LIMITS } from "../../src/core/limits/limits.ts";
import { DEFAULT_BOUNDS } from "../../src/core/limits/shortage.ts";
import { DEFAULT_RETRY_POLICY, type Model, type ModelReply } from "../../src/core/model/model.ts";
import { openModel } from "../../src/models/providers.ts";
import { SYSTEM_CLOCK } from "../../src/processes/system-clock.ts";
import { openProcessTable } from "../../src/processes/table/open-table.ts";
import { cheapTable, type ProcessInfo, type ProcessTable } from "../../src/processes/table/process-table.ts";
import { Supervisor } from "../../src/supervisor/supervisor.ts";
import { FIRST_PID, type GateCell, ROOT_PID_FILE, type Usage } from "./cell.ts";

const cell: GateCell = JSON.parse(process.argv[2] ?? "");
const MANY = 1_000_000;
const MIB = 1024 * 1024;

const reply: ModelReply = {
	is: "reply",
	content: [
		{ type: "text", text: "I look at the files first. ".repeat(8) },
		{ type: "tool_use", id: "toolu_1", name: "bash", input: { command: "ls -l src" } },
	],
	stopReason: "tool_use",
	usage: { input: 400, output: 120, cacheRead: 9_000, cacheWrite: 300 },
	model: cell.model,
};

const model: Model = {
	name: cell.model,
	service: "bench",
	ask: async (_, { onAccepted }) => {
		onAccepted([]);
		return reply;
	},
	close: () => {},
};

async function loadModel(service: string | undefined): Promise<Model> {
	if (service === undefined) return model;
	const credentials = { ANTHROPIC_API_KEY: "none", ANTHROPIC_BASE_URL: service };
	return openModel(cell.model, { credentials, maxSilenceMs: 60_000, now: Date.now });
}

/** Each agent is a child of the root's command; there is nothing else, so nothing is ever ended. */
function stubTable(real: ProcessTable): ProcessTable {
	const read = (pid: number): ProcessInfo | undefined => {
		if (pid < FIRST_PID) return real.read(pid);
		const parent = rootPid() ?? 0;
		return { pid, startTime: "1", parent, group: parent, session: parent, state: "S", name: "node" };
	};
	return cheapTable({ list: () => [], read, environment: () => undefined });
}

function rootPid(): number | undefined {
	const file = join(cell.home, ROOT_PID_FILE);
	return existsSync(file) ? Number(readFileSync(file, "utf8")) : undefined;
}

/** What it computes between two ticks of a timer at most: other processes, which may make it wait, do not count. */
const TICK_MS = 2;
let tickedAt = cpuMs();
let stallMs = 0;
setInterval(() => {
	const now = cpuMs();
	stallMs = Math.max(stallMs, now - tickedAt);
	tickedAt = now;
}, TICK_MS).unref();

function cpuMs(): number {
	const { user, system } = process.cpuUsage();
	return (user + system) / 1000;
}

const realTable = openProcessTable(process.env);
const supervisor = new Supervisor(
	{
		...{
			run: cell.run,
			home: cell.home,
			cwd: cell.home,
			socket: cell.socket,
			task: "gate",
			model: cell.model,
			env: {},
		},
		limits: {
			...{ ...DEFAULT_LIMITS, maxConcurrency: cell.slots, maxTurns: MANY, maxTotalTurns: MANY },
			...{ maxAgents: MANY, maxChildren: MANY, maxProcesses: MANY },
			...(cell.hasBudget ? { maxBudgetUsd: MANY, maxTokens: MANY * MANY } : {}),
		},
		...{
			bounds: { ...DEFAULT_BOUNDS, keepFreeMemoryPercent: 0 },
			retryPolicy: DEFAULT_RETRY_POLICY,
			prices: [],
			hosts: [],
		},
		...{ version: "0", rootStdio: "ignore", keepsBackground: false },
		...{ nodeProgram: "/bin/sh", agentProgram: cell.rootScript },
	},
	{
		table: cell.table === "real" ? realTable : stubTable(realTable),
		...SYSTEM_CLOCK,
		...{ random: Math.random, loadModel: () => loadModel(cell.service) },
	},
);

process.on("message", (order) => {
	if (order === "stop") return supervisor.stop({ by: "stopped", reason: "measured", signal: 15 }, true);
	process.send?.(order === "heap" ? { heapMiB: heapMiB() } : usage());
});
process.once("disconnect", () => supervisor.stop({ by: "stopped", reason: "left alone", signal: 15 }, true));
await supervisor.start();
process.send?.("ready");
await supervisor.ended;
process.exit();

function usage(): Usage {
	const longest = stallMs;
	stallMs = 0;
	return { cpuMs: cpuMs(), memoryMiB: process.memoryUsage().rss / MIB, stallMs: longest };
}

function heapMiB(): number {
	global.gc?.();
	return process.memoryUsage().heapUsed / MIB;
}

/** Run directories as a supervisor would have written them, in a temporary home that goes with the test. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { DEFAULT_LIMITS } from "../../../src/core/limits/limits.ts";
import type { RunEvent } from "../../../src/core/schemas/run-event.ts";
import { type AgentFile, RUN_FORMAT, type RunFile } from "../../../src/core/schemas/run-files.ts";

export const T0 = Date.UTC(2026, 10, 27, 20, 15, 30);

export function temporaryHome(): string {
	const home = mkdtempSync(join(tmpdir(), "agentree-store-"));
	onTestFinished(() => rmSync(home, { recursive: true, force: true }));
	return home;
}

export function runFile(changes: Partial<RunFile> = {}): RunFile {
	return {
		format: RUN_FORMAT,
		run: "20261127-201530-k3f9",
		task: "count the lines\nof every folder",
		cwd: "/work/project",
		model: "shell",
		limits: DEFAULT_LIMITS,
		supervisor: { pid: 4100, startTime: "77" },
		socket: "/run/user/1000/agentree/20261127-201530-k3f9.sock",
		version: "0.1.0",
		startedAt: T0,
		...changes,
	};
}

export function agentFile(changes: Partial<AgentFile> = {}): AgentFile {
	return {
		agent: "1",
		run: "20261127-201530-k3f9",
		task: "count the lines\nof every folder",
		cwd: "/work/project",
		model: "shell",
		limits: DEFAULT_LIMITS,
		system: "You are an agent.",
		joinedAt: T0 + 100,
		...changes,
	};
}

export function runStarted(changes: Partial<Extract<RunEvent, { event: "run_started" }>> = {}): RunEvent {
	const { run, task, cwd, model, limits, supervisor, version } = runFile();
	const { pid, startTime } = supervisor;
	return { event: "run_started", at: T0, run, task, cwd, model, limits, pid, startTime, version, ...changes };
}

export function agentJoined(agent: string, at: number, changes: { command?: number; task?: string } = {}): RunEvent {
	const pid = 4100 + Number(agent.replaceAll(".", ""));
	const task = `task of ${agent}`;
	return {
		...{ event: "agent_joined", at, agent, pid, startTime: "78", task, model: "shell", limits: DEFAULT_LIMITS },
		...changes,
	};
}

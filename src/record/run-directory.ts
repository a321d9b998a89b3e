/** The names in a run's directory. The directory tree is the process tree: agent `1.2` lies in `1/2/`. */
import { join } from "node:path";
import type { AgentId } from "../core/model/agent.ts";

export function runsDirectory(home: string): string {
	return join(home, "runs");
}

export function runDirectory(home: string, run: string): string {
	return join(runsDirectory(home), run);
}

export function agentDirectory(directory: string, agent: AgentId): string {
	return join(directory, ...agent.split("."));
}

export function runFilePath(directory: string): string {
	return join(directory, "run.json");
}

export function eventsPath(directory: string): string {
	return join(directory, "events.jsonl");
}

export function reservePath(directory: string): string {
	return join(directory, ".reserve");
}

export function agentFilePath(directory: string, agent: AgentId): string {
	return join(agentDirectory(directory, agent), "agent.json");
}

/** Of a command's raw output. `log`: as an event has it, below the agent's directory: `out/0003.log`. */
export function outputPath(directory: string, agent: AgentId, log: string): string {
	return join(agentDirectory(directory, agent), log);
}

export function transcriptPath(directory: string, agent: AgentId): string {
	return join(agentDirectory(directory, agent), "transcript.jsonl");
}

/** Of the kept states of the files that a conversation works on. */
export function undoDirectory(directory: string): string {
	return join(directory, "undo");
}
